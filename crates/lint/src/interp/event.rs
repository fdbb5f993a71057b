//! What happens in a program while it is evaluated. Whether that is wrong is for others to say.

use super::numbers::Reading;
use super::value::{CellId, LoopId, Value};
use super::{Interp, Semantics};
use crate::syntax::ast::{self, Expr, Stmt, TextRange};

/// What is notified of events. It can read what is known of the program, and not change it.
pub(crate) trait Observer<L: Semantics>: std::fmt::Debug {
    /// Something happens; `state` is what is known by then.
    fn observe<'p>(&mut self, state: &Interp<'p, L>, event: L::Event<'_, 'p>);

    /// How much was reported by now.
    fn reported(&self) -> usize;

    /// Takes back what was reported since then.
    fn forget_since(&mut self, reported: usize);
}

/// What the language does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event<'e, 'p> {
    /// A condition was evaluated, and decides what is evaluated next.
    Decides { test: &'p Expr },
    /// An `if` statement, whose condition was evaluated.
    Branches {
        test: &'p Expr,
        body: &'p [Stmt],
        rest: &'p [ast::ElifElseClause],
    },
    /// A `match` statement, whose subject was evaluated.
    Matches { subject: &'p Expr },
    /// The ways of a choice are about to be evaluated, in the first iteration of a loop that makes it each time.
    ChoiceBegins,
    /// All ways of such a choice were evaluated.
    ChoiceEnds,
    /// A `for` loop is reached.
    Repeats { iterated: &'p Expr },
    /// A `for` loop goes through this.
    LoopBegins {
        iterated: &'e Value<'p>,
        range: TextRange,
    },
    /// A number is read that an object, a class or a scope keeps under this name. Only where the library minds it.
    NumberRead {
        keeper: CellId,
        name: &'e str,
        reading: Reading,
        range: TextRange,
    },
    /// Something is about to be assigned.
    Assigned {
        target: &'p Expr,
        expression: &'p Expr,
        value: &'e Value<'p>,
        how: Assignment,
    },
    /// A name, an attribute or an entry gets a new value.
    Rebound {
        old: Option<&'e Value<'p>>,
        new: &'e Value<'p>,
        range: TextRange,
    },
    /// A name has got a new value.
    NameBound,
    /// A name or an entry no longer refers to this.
    Released { value: &'e Value<'p> },
    /// What referred to this is gone.
    Deleted {
        value: &'e Value<'p>,
        range: TextRange,
    },
    /// `container[index] = value`.
    Stored {
        container: &'e Value<'p>,
        index: &'e Value<'p>,
        value: &'e Value<'p>,
        range: TextRange,
    },
    /// An entry of a dictionary gets this value.
    EntrySet {
        container: &'e Value<'p>,
        key: &'e Value<'p>,
        value: &'e Value<'p>,
    },
    /// A list or a dictionary loses all that it holds.
    Emptied { container: CellId },
    /// It loses an entry: `is_last` if that is the one that it got last.
    TakenOut { container: CellId, is_last: bool },
    /// An entry keeps this value, under a key that is written so.
    EntryKept {
        container: &'e Value<'p>,
        key: (&'e Value<'p>, &'p Expr),
        value: &'e Value<'p>,
    },
    /// `list.append(value)`.
    Appended {
        list: &'e Value<'p>,
        value: &'e Value<'p>,
        call: Option<&'p ast::ExprCall>,
        range: TextRange,
    },
    /// `list += values`, of which `any` stands for each.
    Extended {
        list: &'e Value<'p>,
        any: &'e Value<'p>,
        range: TextRange,
    },
    /// A comprehension has given this; `element` is that of a list, `inside` the first loop that can be one of its
    /// own.
    Collected {
        values: &'e Value<'p>,
        element: Option<&'p Expr>,
        inside: LoopId,
    },
    /// A function is left with this result.
    Returned { result: &'e Value<'p> },
    /// Unknown code runs.
    UnknownCalled,
    /// The program ends.
    ProgramEnds,
    /// A value of an extension type is indexed.
    Sliced { index: &'p Expr },
    /// A number is the operand of an operation with a value of an extension type.
    Operand {
        expression: &'p Expr,
        range: TextRange,
    },
}

/// How something is assigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Assignment {
    /// `target = value`.
    Plain,
    /// The same under a condition that asks for `target` to be unset.
    SetUp,
    /// `target: annotation = value`.
    Annotated,
    /// `target += value`, where the value is what comes out of it.
    InPlace,
}
