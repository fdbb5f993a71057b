//! What the interpreter asks of the library that a program is written for: what its calls, attributes and imports mean.

use std::fmt::Debug;
use std::rc::Rc;

use super::value::{CellId, Value};
use super::{Args, Interp};
use crate::site::Site;
use crate::syntax::ast::{Expr, Operator, TextRange, UnaryOp};

/// The meaning of what comes from outside the project.
pub(crate) trait Semantics: Debug {
    /// What has this full name. Names under which the same is known become one.
    fn external<'p>(&self, full: &str) -> Value<'p>;

    /// A call of something with a full name.
    fn call<'p>(
        &self,
        interp: &mut Interp<'p>,
        function: &Rc<str>,
        args: &Args<'p>,
        range: TextRange,
    ) -> Value<'p>;

    /// A call of a method that no class of the project has.
    fn call_method<'p>(
        &self,
        interp: &mut Interp<'p>,
        object: &Value<'p>,
        name: &str,
        args: &Args<'p>,
        range: TextRange,
    ) -> Value<'p>;

    /// A call of an object that is no instance of a class of the project.
    fn call_object<'p>(
        &self,
        interp: &mut Interp<'p>,
        object: CellId,
        args: Args<'p>,
        range: TextRange,
    ) -> Value<'p>;

    /// A function or a class under a decorator.
    fn decorated<'p>(
        &self,
        interp: &mut Interp<'p>,
        decorator: &Value<'p>,
        value: Value<'p>,
        range: TextRange,
    ) -> Value<'p>;

    /// An attribute of an object that is no instance of a class of the project, if it is no method.
    fn object_attribute<'p>(
        &self,
        interp: &mut Interp<'p>,
        object: CellId,
        name: &str,
        range: TextRange,
    ) -> Option<Value<'p>>;

    /// An attribute of a tensor.
    fn tensor_attribute<'p>(
        &self,
        interp: &mut Interp<'p>,
        tensor: CellId,
        name: &str,
        range: TextRange,
    ) -> Value<'p>;

    /// An attribute of an object is about to be set.
    fn attribute_set<'p>(
        &self,
        interp: &mut Interp<'p>,
        object: &Value<'p>,
        name: &str,
        value: &Value<'p>,
        range: TextRange,
    );

    /// `tensor[index]`.
    fn element_read<'p>(
        &self,
        interp: &mut Interp<'p>,
        tensor: &Value<'p>,
        index: &Value<'p>,
        range: TextRange,
    ) -> Value<'p>;

    /// `tensor[index] = value`.
    fn element_written<'p>(
        &self,
        interp: &mut Interp<'p>,
        tensor: &Value<'p>,
        index: &Value<'p>,
        value: &Value<'p>,
        range: TextRange,
    );

    /// Something is written to a value that is neither a tensor nor a container of Python's. Whether it took it.
    fn written<'p>(&self, interp: &mut Interp<'p>, target: &Value<'p>, range: TextRange) -> bool;

    /// Lists are compared, element by element.
    fn lists_compared<'p>(
        &self,
        interp: &mut Interp<'p>,
        left: &Value<'p>,
        right: &Value<'p>,
        range: TextRange,
    );

    /// `value in container`.
    fn looked_for<'p>(
        &self,
        interp: &mut Interp<'p>,
        value: &Value<'p>,
        container: &Value<'p>,
        range: TextRange,
    );

    /// Whether a value is an instance of a class, or of one of several, if that is known.
    fn is_instance<'p>(
        &self,
        interp: &Interp<'p>,
        value: &Value<'p>,
        class: &Value<'p>,
    ) -> Option<bool>;

    /// Whether this is the full name of a class of modules.
    fn is_module(&self, full: &str) -> bool;

    /// Whether every module has a method of this name, which a module is asked for rather than its parts.
    fn is_module_method(&self, name: &str) -> bool;

    /// Whether a class of the project is called by `Class.apply(...)`.
    fn is_applied(&self, interp: &Interp<'_>, class: CellId) -> bool;

    /// Whether an object whose class is made from this one has a part that is an object of it.
    fn is_followed(&self, full: &str) -> bool;

    /// An attribute of what has this full name is set. Whether no more is to be done.
    fn external_attribute_set(&self, interp: &mut Interp<'_>, full: &str, attribute: &str) -> bool;

    /// Whether a function goes through its argument as it is called.
    fn drains(&self, function: &str) -> bool;

    /// Whether it keeps all that it goes through, side by side.
    fn collects(&self, function: &str) -> bool;

    /// The program refers to a value, by a name, an attribute or as a part of something: what it has there.
    fn referred<'p>(
        &self,
        interp: &mut Interp<'p>,
        value: Value<'p>,
        range: TextRange,
    ) -> Value<'p>;

    /// `name = other_name`: what the new name refers to.
    fn renamed<'p>(&self, interp: &mut Interp<'p>, value: Value<'p>, range: TextRange)
    -> Value<'p>;

    /// `dictionary[key] = value`: what is stored.
    fn entered<'p>(
        &self,
        interp: &mut Interp<'p>,
        container: &Value<'p>,
        key: &Value<'p>,
        value: Value<'p>,
        range: TextRange,
    ) -> Value<'p>;

    /// A function returns a value: what its caller gets. `before` is how many replays there were when it was called.
    fn returned<'p>(&self, interp: &mut Interp<'p>, value: Value<'p>, before: u32) -> Value<'p>;

    /// What a loop gets out of what it goes through.
    fn in_turn<'p>(&self, interp: &mut Interp<'p>, value: Value<'p>) -> Value<'p>;

    /// A generator or the like was gone through at once; `before` is how many replays there were then, `collects` whether
    /// each of its values is kept.
    fn drained<'p>(
        &self,
        interp: &mut Interp<'p>,
        list: &Value<'p>,
        before: u32,
        collects: bool,
        range: TextRange,
    );

    /// Python asks for the truth of a value.
    fn truth_asked<'p>(&self, interp: &mut Interp<'p>, value: &Value<'p>, range: TextRange);

    /// A list or a text of Python's is indexed by this, or repeated.
    fn indexed_by<'p>(&self, interp: &mut Interp<'p>, index: &Value<'p>, range: TextRange);

    /// A value becomes a text.
    fn formatted<'p>(&self, interp: &mut Interp<'p>, value: &Value<'p>, range: TextRange);

    /// A loop has gone on while this was true.
    fn polled<'p>(&self, interp: &mut Interp<'p>, test: &'p Expr);

    /// `op operand`, of a tensor.
    fn unary<'p>(
        &self,
        interp: &mut Interp<'p>,
        op: UnaryOp,
        operand: Value<'p>,
        range: TextRange,
    ) -> Value<'p>;

    /// `left op right`, where one is a tensor.
    fn binary<'p>(
        &self,
        interp: &mut Interp<'p>,
        left: &Value<'p>,
        op: Operator,
        right: &Value<'p>,
        range: TextRange,
    ) -> Value<'p>;

    /// `left < right` and its kin, where one is a tensor.
    fn compared<'p>(
        &self,
        interp: &mut Interp<'p>,
        left: &Value<'p>,
        right: &Value<'p>,
        range: TextRange,
    ) -> Value<'p>;

    /// `target op= value`, of a tensor.
    fn in_place<'p>(
        &self,
        interp: &mut Interp<'p>,
        target: &Value<'p>,
        value: Value<'p>,
        range: TextRange,
    );

    /// What a loop over an object that is no instance of a class of the project gets next, if that is known.
    fn next_of_object<'p>(&self, interp: &mut Interp<'p>, object: CellId) -> Option<Value<'p>>;

    /// What a loop over a tensor gets in each iteration.
    fn row<'p>(&self, interp: &mut Interp<'p>, tensor: CellId) -> Value<'p>;

    /// An attribute of a tensor is set. Whether no more is to be done.
    fn tensor_attribute_set<'p>(
        &self,
        interp: &mut Interp<'p>,
        tensor: CellId,
        name: &str,
        value: &Value<'p>,
    ) -> bool;

    /// A parameter of a function that nobody was seen to call, by the name of the class that its annotation says.
    fn annotated<'p>(&self, interp: &mut Interp<'p>, class: &str, site: Site) -> Value<'p>;
}
