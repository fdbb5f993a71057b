//! The semantics of PyTorch, as the interpreter asks for them.

use std::rc::Rc;

use super::{
    answers, arrays, autograd, classes, comparisons, containers, data, decorators, functions, host,
    indexing, methods, module_parts, names, objects, storage, switches, tensors,
};
use crate::interp::value::{CellId, Value};
use crate::interp::{Args, Interp, Semantics};
use crate::site::Site;
use crate::syntax::ast::{Expr, Operator, TextRange, UnaryOp};

/// PyTorch, and what of Python's own library goes with it.
#[derive(Debug)]
pub(crate) struct Torch;

impl Semantics for Torch {
    fn external<'p>(&self, full: &str) -> Value<'p> {
        names::external(full)
    }

    fn call<'p>(
        &self,
        interp: &mut Interp<'p>,
        function: &Rc<str>,
        args: &Args<'p>,
        range: TextRange,
    ) -> Value<'p> {
        switches::called(interp, function, args);
        functions::call(interp, function, args, range)
    }

    fn call_method<'p>(
        &self,
        interp: &mut Interp<'p>,
        object: &Value<'p>,
        name: &str,
        args: &Args<'p>,
        range: TextRange,
    ) -> Value<'p> {
        methods::call(interp, object, name, args, range)
    }

    fn call_object<'p>(
        &self,
        interp: &mut Interp<'p>,
        object: CellId,
        args: Args<'p>,
        range: TextRange,
    ) -> Value<'p> {
        objects::call(interp, object, args, range)
    }

    fn decorated<'p>(
        &self,
        interp: &mut Interp<'p>,
        decorator: &Value<'p>,
        value: Value<'p>,
        range: TextRange,
    ) -> Value<'p> {
        decorators::decorate(interp, decorator, value, range)
    }

    fn object_attribute<'p>(
        &self,
        interp: &mut Interp<'p>,
        object: CellId,
        name: &str,
        range: TextRange,
    ) -> Option<Value<'p>> {
        objects::attribute(interp, object, name, range)
    }

    fn tensor_attribute<'p>(
        &self,
        interp: &mut Interp<'p>,
        tensor: CellId,
        name: &str,
        range: TextRange,
    ) -> Value<'p> {
        methods::attribute(interp, tensor, name, range)
    }

    fn element_read<'p>(
        &self,
        interp: &mut Interp<'p>,
        tensor: &Value<'p>,
        index: &Value<'p>,
        range: TextRange,
    ) -> Value<'p> {
        indexing::read(interp, tensor, index, range)
    }

    fn element_written<'p>(
        &self,
        interp: &mut Interp<'p>,
        tensor: &Value<'p>,
        index: &Value<'p>,
        value: &Value<'p>,
        range: TextRange,
    ) {
        indexing::written(interp, tensor, index, value, range);
        interp.tensor_in_place(tensor, &[index.clone(), value.clone()], range);
    }

    fn written<'p>(&self, interp: &mut Interp<'p>, target: &Value<'p>, range: TextRange) -> bool {
        arrays::written(interp, target, range)
    }

    fn lists_compared<'p>(
        &self,
        interp: &mut Interp<'p>,
        left: &Value<'p>,
        right: &Value<'p>,
        range: TextRange,
    ) {
        comparisons::compared(interp, left, right, range);
    }

    fn looked_for<'p>(
        &self,
        interp: &mut Interp<'p>,
        value: &Value<'p>,
        container: &Value<'p>,
        range: TextRange,
    ) {
        comparisons::contained(interp, value, container, range);
    }

    fn is_instance<'p>(
        &self,
        interp: &Interp<'p>,
        value: &Value<'p>,
        class: &Value<'p>,
    ) -> Option<bool> {
        classes::is_instance(interp, value, class)
    }

    fn is_module(&self, full: &str) -> bool {
        names::is_module(full)
    }

    fn is_module_method(&self, name: &str) -> bool {
        names::is_module_method(name)
    }

    fn is_applied(&self, interp: &Interp<'_>, class: CellId) -> bool {
        autograd::is_function(interp, class)
    }

    fn is_followed(&self, full: &str) -> bool {
        classes::is_followed(full)
    }

    fn attribute_set<'p>(
        &self,
        interp: &mut Interp<'p>,
        object: &Value<'p>,
        name: &str,
        value: &Value<'p>,
        range: TextRange,
    ) {
        match (object, name) {
            (Value::Tensor(tensor), "data") => storage::assigned(interp, *tensor, value, range),
            (Value::Object(module), "weight" | "bias") => {
                module_parts::parameter_set(interp, *module, value, range);
            }
            _ => {}
        }
    }

    fn external_attribute_set(&self, interp: &mut Interp<'_>, full: &str, attribute: &str) -> bool {
        switches::attribute_set(interp, full, attribute);
        match full {
            // Streams and events are what the program makes of them then.
            "torch.cuda.Event" | "torch.cuda.Stream" => interp.streams.are_replaced = true,
            "torch.backends.cudnn" => {}
            _ => return false,
        }
        true
    }

    fn drains(&self, function: &str) -> bool {
        containers::drains(function)
    }

    fn collects(&self, function: &str) -> bool {
        containers::collects(function)
    }

    fn referred<'p>(
        &self,
        interp: &mut Interp<'p>,
        value: Value<'p>,
        range: TextRange,
    ) -> Value<'p> {
        answers::referred(interp, value, range)
    }

    fn renamed<'p>(
        &self,
        interp: &mut Interp<'p>,
        value: Value<'p>,
        range: TextRange,
    ) -> Value<'p> {
        answers::renamed(interp, value, range)
    }

    fn entered<'p>(
        &self,
        interp: &mut Interp<'p>,
        container: &Value<'p>,
        key: &Value<'p>,
        value: Value<'p>,
        range: TextRange,
    ) -> Value<'p> {
        switches::entered(interp, container, key, &value);
        answers::entered(interp, container, key, value, range)
    }

    fn returned<'p>(&self, interp: &mut Interp<'p>, value: Value<'p>, before: u32) -> Value<'p> {
        answers::returned(interp, value, before)
    }

    fn in_turn<'p>(&self, interp: &mut Interp<'p>, value: Value<'p>) -> Value<'p> {
        answers::in_turn(interp, value)
    }

    fn drained<'p>(
        &self,
        interp: &mut Interp<'p>,
        list: &Value<'p>,
        before: u32,
        collects: bool,
        range: TextRange,
    ) {
        answers::drained(interp, list, before, collects, range);
    }

    fn truth_asked<'p>(&self, interp: &mut Interp<'p>, value: &Value<'p>, range: TextRange) {
        host::truth(interp, value, range);
    }

    fn indexed_by<'p>(&self, interp: &mut Interp<'p>, index: &Value<'p>, range: TextRange) {
        host::indexes_on_host(interp, index, range);
    }

    fn formatted<'p>(&self, interp: &mut Interp<'p>, value: &Value<'p>, range: TextRange) {
        host::formatted(interp, value, range);
    }

    fn polled<'p>(&self, interp: &mut Interp<'p>, test: &'p Expr) {
        host::polled(interp, test);
    }

    fn unary<'p>(
        &self,
        interp: &mut Interp<'p>,
        op: UnaryOp,
        operand: Value<'p>,
        range: TextRange,
    ) -> Value<'p> {
        tensors::unary(interp, op, operand, range)
    }

    fn binary<'p>(
        &self,
        interp: &mut Interp<'p>,
        left: &Value<'p>,
        op: Operator,
        right: &Value<'p>,
        range: TextRange,
    ) -> Value<'p> {
        tensors::binary(interp, left, op, right, range)
    }

    fn compared<'p>(
        &self,
        interp: &mut Interp<'p>,
        left: &Value<'p>,
        right: &Value<'p>,
        range: TextRange,
    ) -> Value<'p> {
        tensors::compared(interp, left, right, range)
    }

    fn in_place<'p>(
        &self,
        interp: &mut Interp<'p>,
        target: &Value<'p>,
        value: Value<'p>,
        range: TextRange,
    ) {
        tensors::in_place(interp, target, value, range);
    }

    fn next_of_object<'p>(&self, interp: &mut Interp<'p>, object: CellId) -> Option<Value<'p>> {
        data::batch(interp, object)
    }

    fn row<'p>(&self, interp: &mut Interp<'p>, tensor: CellId) -> Value<'p> {
        tensors::row(interp, tensor)
    }

    fn tensor_attribute_set<'p>(
        &self,
        interp: &mut Interp<'p>,
        tensor: CellId,
        name: &str,
        value: &Value<'p>,
    ) -> bool {
        tensors::attribute_set(interp, tensor, name, value)
    }

    fn annotated<'p>(&self, interp: &mut Interp<'p>, class: &str, site: Site) -> Value<'p> {
        tensors::annotated(interp, class, site)
    }
}
