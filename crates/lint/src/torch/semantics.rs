//! The semantics of PyTorch, as the interpreter asks for them.

use std::rc::Rc;

use super::state::contexts::Exit;
use super::state::destroyed;
use super::state::tensor::Device;
use super::{
    Interp, Torch, answers, arrays, autograd, calls, classes, containers, data, decorators,
    functions, host, indexing, methods, module_parts, names, objects, storage, switches, tensors,
};
use crate::interp::value::{CellId, LoopId, Number, Value};
use crate::interp::{Args, Semantics};
use crate::site::Site;
use crate::syntax::ast::{self, Expr, Operator, TextRange, UnaryOp};

impl Semantics for Torch {
    fn external<'p>(full: &str) -> Value<'p> {
        names::external(full)
    }

    fn call<'p>(
        interp: &mut Interp<'p>,
        function: &Rc<str>,
        args: &Args<'p>,
        range: TextRange,
    ) -> Value<'p> {
        switches::called(interp, function, args);
        functions::call(interp, function, args, range)
    }

    fn call_method<'p>(
        interp: &mut Interp<'p>,
        object: &Value<'p>,
        name: &str,
        args: &Args<'p>,
        range: TextRange,
    ) -> Value<'p> {
        methods::call(interp, object, name, args, range)
    }

    fn call_object<'p>(
        interp: &mut Interp<'p>,
        object: CellId,
        args: Args<'p>,
        range: TextRange,
    ) -> Value<'p> {
        calls::call(interp, object, args, range)
    }

    fn decorated<'p>(
        interp: &mut Interp<'p>,
        decorator: &Value<'p>,
        value: Value<'p>,
        range: TextRange,
    ) -> Value<'p> {
        decorators::decorate(interp, decorator, value, range)
    }

    fn object_attribute<'p>(
        interp: &mut Interp<'p>,
        object: CellId,
        name: &str,
        range: TextRange,
    ) -> Option<Value<'p>> {
        objects::attribute(interp, object, name, range)
    }

    fn extension_attribute<'p>(
        interp: &mut Interp<'p>,
        tensor: CellId,
        name: &str,
        range: TextRange,
    ) -> Value<'p> {
        methods::attribute(interp, tensor, name, range)
    }

    fn element_read<'p>(
        interp: &mut Interp<'p>,
        tensor: &Value<'p>,
        index: &Value<'p>,
        range: TextRange,
    ) -> Value<'p> {
        indexing::read(interp, tensor, index, range)
    }

    fn element_written<'p>(
        interp: &mut Interp<'p>,
        tensor: &Value<'p>,
        index: &Value<'p>,
        value: &Value<'p>,
        range: TextRange,
    ) {
        indexing::written(interp, tensor, index, value, range);
        interp.tensor_in_place(tensor, &[index.clone(), value.clone()], range);
    }

    fn written<'p>(interp: &mut Interp<'p>, target: &Value<'p>, range: TextRange) -> bool {
        arrays::written(interp, target, range)
    }

    fn operands_read<'p>(interp: &mut Interp<'p>, operands: &[&Value<'p>], range: TextRange) {
        for operand in operands {
            arrays::read(interp, operand, range);
        }
    }

    fn is_instance<'p>(interp: &Interp<'p>, value: &Value<'p>, class: &Value<'p>) -> Option<bool> {
        classes::is_instance(interp, value, class)
    }

    fn is_applied(interp: &Interp<'_>, class: CellId) -> bool {
        autograd::is_function(interp, class)
    }

    fn is_followed(full: &str) -> bool {
        classes::is_followed(full)
    }

    fn attribute_set<'p>(
        interp: &mut Interp<'p>,
        object: &Value<'p>,
        name: &str,
        value: &Value<'p>,
        range: TextRange,
    ) {
        match (object, name) {
            (Value::Extension(tensor), "data") => storage::assigned(interp, *tensor, value, range),
            (Value::Object(module), "weight" | "bias") => {
                module_parts::parameter_set(interp, *module, value, range);
            }
            _ => {}
        }
    }

    fn external_attribute_set(interp: &mut Interp<'_>, full: &str, attribute: &str) -> bool {
        switches::attribute_set(interp, full, attribute);
        match full {
            // Streams and events are what the program makes of them then.
            "torch.cuda.Event" | "torch.cuda.Stream" => interp.library.streams.are_replaced = true,
            "torch.backends.cudnn" => {}
            _ => return false,
        }
        true
    }

    fn drains(function: &str) -> bool {
        containers::drains(function)
    }

    fn collects(function: &str) -> bool {
        containers::collects(function)
    }

    fn is_generic(class: &str) -> bool {
        containers::is_generic(class)
    }

    fn referred<'p>(interp: &mut Interp<'p>, value: Value<'p>, range: TextRange) -> Value<'p> {
        answers::referred(interp, value, range)
    }

    fn renamed<'p>(interp: &mut Interp<'p>, value: Value<'p>, range: TextRange) -> Value<'p> {
        answers::renamed(interp, value, range)
    }

    fn entered<'p>(
        interp: &mut Interp<'p>,
        container: &Value<'p>,
        key: &Value<'p>,
        value: Value<'p>,
        range: TextRange,
    ) -> Value<'p> {
        switches::entered(interp, container, key, &value);
        answers::entered(interp, container, key, value, range)
    }

    fn returned<'p>(interp: &mut Interp<'p>, value: Value<'p>, before: u32) -> Value<'p> {
        answers::returned(interp, value, before)
    }

    fn in_turn<'p>(interp: &mut Interp<'p>, value: Value<'p>) -> Value<'p> {
        answers::in_turn(interp, value)
    }

    fn drained<'p>(
        interp: &mut Interp<'p>,
        list: &Value<'p>,
        before: u32,
        collects: bool,
        range: TextRange,
    ) {
        answers::drained(interp, list, before, collects, range);
    }

    fn truth_asked<'p>(interp: &mut Interp<'p>, value: &Value<'p>, range: TextRange) {
        host::truth(interp, value, range);
    }

    fn formatted<'p>(interp: &mut Interp<'p>, value: &Value<'p>, range: TextRange) {
        host::formatted(interp, value, range);
    }

    fn polled<'p>(interp: &mut Interp<'p>, test: &'p Expr) {
        host::polled(interp, test);
    }

    fn unary<'p>(
        interp: &mut Interp<'p>,
        op: UnaryOp,
        operand: Value<'p>,
        range: TextRange,
    ) -> Value<'p> {
        tensors::unary(interp, op, operand, range)
    }

    fn binary<'p>(
        interp: &mut Interp<'p>,
        left: &Value<'p>,
        op: Operator,
        right: &Value<'p>,
        range: TextRange,
    ) -> Value<'p> {
        tensors::binary(interp, left, op, right, range)
    }

    fn compared<'p>(
        interp: &mut Interp<'p>,
        left: &Value<'p>,
        right: &Value<'p>,
        range: TextRange,
    ) -> Value<'p> {
        tensors::compared(interp, left, right, range)
    }

    fn in_place<'p>(
        interp: &mut Interp<'p>,
        target: &Value<'p>,
        value: Value<'p>,
        range: TextRange,
    ) {
        tensors::in_place(interp, target, value, range);
    }

    fn next_of_object<'p>(interp: &mut Interp<'p>, object: CellId) -> Option<Value<'p>> {
        data::batch(interp, object)
    }

    fn row<'p>(interp: &mut Interp<'p>, tensor: CellId) -> Value<'p> {
        tensors::row(interp, tensor)
    }

    fn extension_attribute_set<'p>(
        interp: &mut Interp<'p>,
        tensor: CellId,
        name: &str,
        value: &Value<'p>,
    ) -> bool {
        tensors::attribute_set(interp, tensor, name, value)
    }

    fn annotated<'p>(interp: &mut Interp<'p>, class: &str, site: Site) -> Value<'p> {
        tensors::annotated(interp, class, site)
    }

    fn moment(interp: &Interp<'_>) -> u32 {
        interp.library.replays
    }

    fn made(interp: &mut Interp<'_>, object: CellId, class: CellId) {
        if interp.is_module_class(class)
            && let Some(object) = interp.heap.object_mut(object)
        {
            object.about.device = Device::Host;
        }
    }

    fn has_methods(interp: &Interp<'_>, class: CellId) -> bool {
        interp.is_module_class(class) || interp.is_made_from(class, "threading.Thread")
    }

    fn list_attribute<'p>(interp: &mut Interp<'p>, list: CellId, name: &str) -> Option<Value<'p>> {
        // Of what `topk`, `sort` and their kin give.
        matches!(name, "indices" | "values")
            .then(|| interp.heap.any_item(list).unwrap_or(Value::Unknown))
    }

    fn element_of_object<'p>(
        interp: &mut Interp<'p>,
        object: CellId,
        index: &Value<'p>,
        range: TextRange,
    ) -> Value<'p> {
        interp.element_of_own(object, index, range)
    }

    fn elements_of_object<'p>(
        interp: &mut Interp<'p>,
        object: CellId,
        id: LoopId,
    ) -> Vec<Value<'p>> {
        interp.elements_of_own(object, id)
    }

    fn length<'p>(interp: &Interp<'p>, value: &Value<'p>) -> Option<usize> {
        match value {
            Value::Class(class) => classes::members(interp, *class),
            value => interp.parts_of_modules(value),
        }
    }

    fn enter<'p>(
        interp: &mut Interp<'p>,
        context: &Value<'p>,
        range: TextRange,
        statement: Option<&'p ast::StmtWith>,
    ) -> (Value<'p>, Exit) {
        interp.enter_own(context, range, statement)
    }

    fn exit(interp: &mut Interp<'_>, exit: Exit) {
        interp.exit_own(exit);
    }

    fn adopted(interp: &mut Interp<'_>) {
        interp.adopt_captures();
    }

    fn unknown_called(interp: &mut Interp<'_>) {
        interp.all_may_be_over();
        if let Some(capture) = interp.capture() {
            interp.library.captures[capture.0].opaque = true;
        }
    }

    fn calls_unknown(interp: &mut Interp<'_>) {
        // It may wait for another thread.
        interp.waits_for_unknown();
        interp.threads_meet();
    }

    fn awaited(interp: &mut Interp<'_>) {
        interp.threads_meet();
    }

    fn may_guess(interp: &Interp<'_>) -> bool {
        interp.capture().is_none()
    }

    fn doubt_ends(interp: &mut Interp<'_>, doubt: u32) {
        interp.captures_in_doubt(doubt);
    }

    fn assigned<'p>(interp: &mut Interp<'p>, it: &'p ast::StmtAssign, value: &Value<'p>) {
        interp.number_assigned(it, value);
    }

    fn number_changes<'p>(
        interp: &mut Interp<'p>,
        target: &'p Expr,
        old: Number,
        op: Operator,
        range: TextRange,
    ) {
        interp.number_changes(target, old, op, range);
    }

    fn minds_numbers(interp: &Interp<'_>) -> bool {
        interp.minds_numbers()
    }

    fn kept<'p>(interp: &mut Interp<'p>, expression: &Expr, value: &Value<'p>) {
        interp.is_kept(expression, value);
    }

    fn dropped(interp: &mut Interp<'_>, expression: &Expr) {
        interp.is_dropped(expression);
    }

    fn escaped(interp: &mut Interp<'_>, value: CellId) {
        interp.tensor_escapes(value);
    }

    fn end_matters(interp: &Interp<'_>, object: CellId) -> bool {
        destroyed::matters(interp, object)
    }

    fn ends(interp: &mut Interp<'_>, object: CellId, range: TextRange) -> bool {
        destroyed::ends(interp, object, range)
    }

    fn ended(interp: &mut Interp<'_>, object: CellId, range: TextRange) {
        destroyed::ended(interp, object, range);
    }

    fn program_ends(interp: &mut Interp<'_>) {
        interp.library.groups.is_exiting = true;
    }

    fn begins_anew(interp: &mut Interp<'_>) {
        interp.begin_without_threads();
    }
}
