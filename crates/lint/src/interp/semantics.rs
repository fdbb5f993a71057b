//! What the interpreter asks of the library that a program is written for: what its calls, attributes and imports mean.

use std::fmt::Debug;
use std::rc::Rc;

use super::value::{CellId, Value};
use super::{Args, Interp};
use crate::syntax::ast::TextRange;

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

    /// `tensor.requires_grad = False`.
    fn tensor_frozen(&self, interp: &mut Interp<'_>, tensor: CellId);

    /// `object.weight = value`, or `object.bias = value`.
    fn parameter_set<'p>(
        &self,
        interp: &mut Interp<'p>,
        object: CellId,
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

    /// `tensor[index] = value`: what is written beside the elements.
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

    /// `left op right` with tensors has given this.
    fn computed<'p>(
        &self,
        interp: &mut Interp<'p>,
        operator: &str,
        operands: &[Value<'p>],
        result: &Value<'p>,
        range: TextRange,
    );

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

    /// Whether a method of this name, of an unknown object, waits for something that other threads do.
    fn is_meeting(&self, method: &str) -> bool;
}
