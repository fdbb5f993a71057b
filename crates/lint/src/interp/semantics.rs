//! What the interpreter asks of the library that a program is written for: what its calls, attributes and imports mean.

use std::rc::Rc;

use super::value::{CellId, LoopId, Number, Value};
use super::{Args, Interp, Library};
use crate::site::Site;
use crate::syntax::ast::{self, Expr, Operator, TextRange, UnaryOp};

/// The meaning of what comes from outside the project.
pub(crate) trait Semantics: Library {
    /// What has this full name. Names under which the same is known become one.
    fn external<'p>(full: &str) -> Value<'p>;

    /// A call of something with a full name.
    fn call<'p>(
        interp: &mut Interp<'p, Self>,
        function: &Rc<str>,
        args: &Args<'p>,
        range: TextRange,
    ) -> Value<'p>;

    /// A call of a method that no class of the project has.
    fn call_method<'p>(
        interp: &mut Interp<'p, Self>,
        object: &Value<'p>,
        name: &str,
        args: &Args<'p>,
        range: TextRange,
    ) -> Value<'p>;

    /// A call of an object. What is not the library's to say goes on to [`Interp::call_object`].
    fn call_object<'p>(
        interp: &mut Interp<'p, Self>,
        object: CellId,
        args: Args<'p>,
        range: TextRange,
    ) -> Value<'p>;

    /// A function or a class under a decorator.
    fn decorated<'p>(
        interp: &mut Interp<'p, Self>,
        decorator: &Value<'p>,
        value: Value<'p>,
        range: TextRange,
    ) -> Value<'p>;

    /// An attribute of an object of the library, if it is no method.
    fn object_attribute<'p>(
        interp: &mut Interp<'p, Self>,
        object: CellId,
        name: &str,
        range: TextRange,
    ) -> Option<Value<'p>>;

    /// An attribute of a value of an extension type.
    fn extension_attribute<'p>(
        interp: &mut Interp<'p, Self>,
        value: CellId,
        name: &str,
        range: TextRange,
    ) -> Value<'p>;

    /// An attribute of an object is about to be set.
    fn attribute_set<'p>(
        interp: &mut Interp<'p, Self>,
        object: &Value<'p>,
        name: &str,
        value: &Value<'p>,
        range: TextRange,
    );

    /// `value[index]`, of an extension type.
    fn element_read<'p>(
        interp: &mut Interp<'p, Self>,
        target: &Value<'p>,
        index: &Value<'p>,
        range: TextRange,
    ) -> Value<'p>;

    /// `target[index] = value`, where the target is of an extension type.
    fn element_written<'p>(
        interp: &mut Interp<'p, Self>,
        target: &Value<'p>,
        index: &Value<'p>,
        value: &Value<'p>,
        range: TextRange,
    );

    /// Something is written to a value that is neither of an extension type nor a container of Python's. Whether it took it.
    fn written<'p>(interp: &mut Interp<'p, Self>, target: &Value<'p>, range: TextRange) -> bool;

    /// An operator reads its operands, which may be objects of the library.
    fn operands_read<'p>(interp: &mut Interp<'p, Self>, operands: &[&Value<'p>], range: TextRange);

    /// Whether a value is an instance of a class, or of one of several, if that is known.
    fn is_instance<'p>(
        interp: &Interp<'p, Self>,
        value: &Value<'p>,
        class: &Value<'p>,
    ) -> Option<bool>;

    /// Whether a class of the project is called by `Class.apply(...)`.
    fn is_applied(interp: &Interp<'_, Self>, class: CellId) -> bool;

    /// Whether an object whose class is made from this one has a part that is an object of it.
    fn is_followed(full: &str) -> bool;

    /// An attribute of what has this full name is set. Whether no more is to be done.
    fn external_attribute_set(interp: &mut Interp<'_, Self>, full: &str, attribute: &str) -> bool;

    /// Whether a function goes through its argument as it is called.
    fn drains(function: &str) -> bool;

    /// Whether it keeps all that it goes through, side by side.
    fn collects(function: &str) -> bool;

    /// Whether a class may be written with the types of what is in its objects, as in `list[int]()`.
    fn is_generic(class: &str) -> bool;

    /// The program refers to a value, by a name, an attribute or as a part of something: what it has there.
    fn referred<'p>(interp: &mut Interp<'p, Self>, value: Value<'p>, range: TextRange)
    -> Value<'p>;

    /// `name = other_name`: what the new name refers to.
    fn renamed<'p>(interp: &mut Interp<'p, Self>, value: Value<'p>, range: TextRange) -> Value<'p>;

    /// `dictionary[key] = value`: what is stored.
    fn entered<'p>(
        interp: &mut Interp<'p, Self>,
        container: &Value<'p>,
        key: &Value<'p>,
        value: Value<'p>,
        range: TextRange,
    ) -> Value<'p>;

    /// A function returns a value: what its caller gets. `before` is the
    /// [moment](Self::moment) of the call.
    fn returned<'p>(interp: &mut Interp<'p, Self>, value: Value<'p>, before: u32) -> Value<'p>;

    /// What a loop gets out of what it goes through.
    fn in_turn<'p>(interp: &mut Interp<'p, Self>, value: Value<'p>) -> Value<'p>;

    /// A generator or the like was gone through at once; `before` is the [moment](Self::moment) when that began,
    /// `collects` whether each of its values is kept.
    fn drained<'p>(
        interp: &mut Interp<'p, Self>,
        list: &Value<'p>,
        before: u32,
        collects: bool,
        range: TextRange,
    );

    /// Python asks for the truth of a value.
    fn truth_asked<'p>(interp: &mut Interp<'p, Self>, value: &Value<'p>, range: TextRange);

    /// A value becomes a text.
    fn formatted<'p>(interp: &mut Interp<'p, Self>, value: &Value<'p>, range: TextRange);

    /// A loop has gone on while this was true.
    fn polled<'p>(interp: &mut Interp<'p, Self>, test: &'p Expr);

    /// `op operand`, of an extension type.
    fn unary<'p>(
        interp: &mut Interp<'p, Self>,
        op: UnaryOp,
        operand: Value<'p>,
        range: TextRange,
    ) -> Value<'p>;

    /// `left op right`, where one is of an extension type.
    fn binary<'p>(
        interp: &mut Interp<'p, Self>,
        left: &Value<'p>,
        op: Operator,
        right: &Value<'p>,
        range: TextRange,
    ) -> Value<'p>;

    /// `left < right` and its kin, where one is of an extension type.
    fn compared<'p>(
        interp: &mut Interp<'p, Self>,
        left: &Value<'p>,
        right: &Value<'p>,
        range: TextRange,
    ) -> Value<'p>;

    /// `target op= value`, where the target is of an extension type.
    fn in_place<'p>(
        interp: &mut Interp<'p, Self>,
        target: &Value<'p>,
        value: Value<'p>,
        range: TextRange,
    );

    /// What a loop over a value of an extension type gets in each iteration.
    fn row<'p>(interp: &mut Interp<'p, Self>, value: CellId) -> Value<'p>;

    /// What an object of the library gives next where something goes through it, if that is known.
    fn next_of_object<'p>(interp: &mut Interp<'p, Self>, object: CellId) -> Option<Value<'p>>;

    /// An attribute of a value of an extension type is set. Whether no more is to be done.
    fn extension_attribute_set<'p>(
        interp: &mut Interp<'p, Self>,
        value: CellId,
        name: &str,
        value: &Value<'p>,
    ) -> bool;

    /// A parameter of a function that nobody was seen to call, by the full name of the class that its annotation says.
    fn annotated<'p>(interp: &mut Interp<'p, Self>, class: &str, site: Site) -> Value<'p>;

    /// How far the program has come, in what the library counts.
    fn moment(interp: &Interp<'_, Self>) -> u32;

    /// An object was made of a class of the project.
    fn made(interp: &mut Interp<'_, Self>, object: CellId, class: CellId);

    /// Whether the library has methods for objects of a class of the project, beside the class's own.
    fn has_methods(interp: &Interp<'_, Self>, class: CellId) -> bool;

    /// An attribute of a list, a tuple or a set, if the library gives tuples with names for their elements.
    fn list_attribute<'p>(
        interp: &mut Interp<'p, Self>,
        list: CellId,
        name: &str,
    ) -> Option<Value<'p>>;

    /// `object[index]`, of an object of the library.
    fn element_of_object<'p>(
        interp: &mut Interp<'p, Self>,
        object: CellId,
        index: &Value<'p>,
        range: TextRange,
    ) -> Value<'p>;

    /// What a loop over an object gets: all elements, if they are few and known; otherwise one for all.
    fn elements_of_object<'p>(
        interp: &mut Interp<'p, Self>,
        object: CellId,
        id: LoopId,
    ) -> Vec<Value<'p>>;

    /// How many elements an object of the library has, if that is known.
    fn length<'p>(interp: &Interp<'p, Self>, value: &Value<'p>) -> Option<usize>;

    /// Enters a context that is not Python's own: its value, and what is to be done at its end.
    fn enter<'p>(
        interp: &mut Interp<'p, Self>,
        context: &Value<'p>,
        range: TextRange,
        statement: Option<&'p ast::StmtWith>,
    ) -> (Value<'p>, Self::Exit<'p>);

    /// Leaves it again.
    fn exit<'p>(interp: &mut Interp<'p, Self>, exit: Self::Exit<'p>);

    /// A function that makes a context has come to its `yield`: what it has begun goes on in its caller.
    fn adopted(interp: &mut Interp<'_, Self>);

    /// Something unknown was called.
    fn unknown_called(interp: &mut Interp<'_, Self>);

    /// Something unknown is about to be called.
    fn calls_unknown(interp: &mut Interp<'_, Self>);

    /// The program waits for what it has put off: `await`.
    fn awaited(interp: &mut Interp<'_, Self>);

    /// Whether code may be followed that perhaps does not run, for what it may do.
    fn may_guess(interp: &Interp<'_, Self>) -> bool;

    /// What was in doubt has been followed; what goes on is in so much doubt.
    fn doubt_ends(interp: &mut Interp<'_, Self>, doubt: u32);

    /// `target = value` is about to be done.
    fn assigned<'p>(interp: &mut Interp<'p, Self>, it: &'p ast::StmtAssign, value: &Value<'p>);

    /// A number of Python's is about to change.
    fn number_changes<'p>(
        interp: &mut Interp<'p, Self>,
        target: &'p Expr,
        old: Number,
        op: Operator,
        range: TextRange,
    );

    /// Whether it matters now that numbers are read. That functions read them which may run at any time always does.
    fn minds_numbers(interp: &Interp<'_, Self>) -> bool;

    /// The value of an expression is kept or returned.
    fn kept<'p>(interp: &mut Interp<'p, Self>, expression: &Expr, value: &Value<'p>);

    /// The value of an expression is dropped.
    fn dropped(interp: &mut Interp<'_, Self>, expression: &Expr);

    /// A value of an extension type may be known to code that is not seen.
    fn escaped(interp: &mut Interp<'_, Self>, value: CellId);

    /// Whether the end of an object does something that the library knows of.
    fn end_matters(interp: &Interp<'_, Self>, object: CellId) -> bool;

    /// An object is about to end. Whether no more is to be done.
    fn ends(interp: &mut Interp<'_, Self>, object: CellId, range: TextRange) -> bool;

    /// An object has ended, and what it alone held.
    fn ended(interp: &mut Interp<'_, Self>, object: CellId, range: TextRange);

    /// The program ends: what it has registered for that is about to be called.
    fn program_ends(interp: &mut Interp<'_, Self>);

    /// What is followed next is another program, or a function that nobody called.
    fn begins_anew(interp: &mut Interp<'_, Self>);
}
