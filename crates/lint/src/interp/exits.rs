//! Entering and leaving one context.

use super::object::Kind;
use super::stacks::Suspended;
use super::value::{CellId, Value};
use super::{Args, Interp, Library, Semantics};
use crate::syntax::ast::{self, TextRange};

/// A context whose body is to fail: `pytest.raises(...)`.
pub(crate) const EXPECTED_FAILURE: &str = "<expected failure>";

/// What is to be done when a context is left.
#[derive(Debug)]
pub(super) enum Exit<'p, L: Library> {
    Nothing,
    Library(L::Exit<'p>),
    Call(Value<'p>, Args<'p>, TextRange),
    Stack(CellId),
    Patched,
    ExpectedFailure,
    Resume(Box<Suspended<'p, L>>),
}

impl<'p, L: Semantics> Interp<'p, L> {
    /// Enters a context: its value, and what is to be done at its end.
    pub(super) fn enter_context(
        &mut self,
        context: &Value<'p>,
        range: TextRange,
        statement: Option<&'p ast::StmtWith>,
    ) -> (Value<'p>, Exit<'p, L>) {
        let kind = match context {
            Value::External(name) if &**name == EXPECTED_FAILURE => {
                self.contexts.expected_failures += 1;
                return (Value::Unknown, Exit::ExpectedFailure);
            }
            Value::Object(cell) => self.heap.object(*cell).map(|it| it.kind.clone()),
            _ => None,
        };
        match (context, kind) {
            (Value::Object(cell), Some(Kind::Instance(_))) => {
                self.enter_instance(*cell, context, range)
            }
            (Value::Object(cell), Some(Kind::ExitStack)) => (context.clone(), Exit::Stack(*cell)),
            (_, Some(Kind::Managed(function, args))) => self.enter_managed(&function, *args, range),
            (_, Some(Kind::Patch(name))) => {
                self.contexts.patched.push(name);
                (Value::Unknown, Exit::Patched)
            }
            (_, Some(Kind::Either(..))) => self.enter_context(&Value::Unknown, range, statement),
            (_, Some(Kind::Holding(value))) => (value, Exit::Nothing),
            _ => {
                let (entered, exit) = L::enter(self, context, range, statement);
                (entered, Exit::Library(exit))
            }
        }
    }

    fn enter_instance(
        &mut self,
        cell: CellId,
        context: &Value<'p>,
        range: TextRange,
    ) -> (Value<'p>, Exit<'p, L>) {
        let exit = self.object_attribute(cell, "__exit__", range);
        let entered = if self.has_method(cell, "__enter__") {
            let enter = self.object_attribute(cell, "__enter__", range);
            let entered = self.call(&enter, Args::default(), range);
            L::adopted(self);
            entered
        } else if let Some(part) = self.inherited(cell) {
            self.enter_by_hand(part, &Value::Object(part), range)
        } else {
            context.clone()
        };
        let nothing = Args::of(vec![Value::None, Value::None, Value::None]);
        (entered, Exit::Call(exit, nothing, range))
    }

    pub(super) fn exit_context(&mut self, exit: Exit<'p, L>) {
        match exit {
            Exit::Nothing => {}
            Exit::Library(exit) => L::exit(self, exit),
            Exit::Call(function, args, range) => {
                self.call(&function, args, range);
            }
            Exit::Patched => {
                self.contexts.patched.pop();
            }
            Exit::ExpectedFailure => self.contexts.expected_failures -= 1,
            Exit::Stack(stack) => self.exit_by_hand(stack),
            Exit::Resume(suspended) => self.resume(*suspended),
        }
    }
}
