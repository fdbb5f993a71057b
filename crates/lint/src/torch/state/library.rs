//! PyTorch, as the interpreter carries its values and state.

use super::contexts::Exit;
use super::event::Event;
use super::object::Own;
use super::tensor::{Device, Tensor, join_tensors};
use super::{About, Flow, Noted, State, join};
use crate::interp::reach::Open;
use crate::interp::value::{CellId, Value};
use crate::interp::{Frame, Library};
use crate::project::FileId;
use crate::torch::{Heap, Object, Torch};

impl Library for Torch {
    type Object<'p> = Own<'p>;
    type Extension = Tensor;
    type About = About;
    type State<'p> = State<'p>;
    type Flow = Flow;
    type Frame = Noted;
    type Exit<'p> = Exit;
    type Event<'e, 'p: 'e> = Event<'e, 'p>;

    fn begin<'p>(heap: &mut Heap<'p>, file: FileId) -> (State<'p>, Flow) {
        let state = State::new(heap, file);
        let flow = Flow::new(Some(state.streams.default), Device::Host);
        (state, flow)
    }

    fn begin_uncalled() -> Flow {
        Flow {
            inference: None,
            ..Flow::new(None, Device::Unknown)
        }
    }

    fn frame_left<'p>(left: &mut Frame<'p, Self>, around: &mut Frame<'p, Self>) {
        around.library.graphs.append(&mut left.library.graphs);
    }

    fn join_extensions(left: &Tensor, right: &Tensor) -> Tensor {
        join_tensors(left, right)
    }

    fn join_references<'p>(heap: &mut Heap<'p>, left: CellId, right: CellId) -> Value<'p> {
        join::references(heap, left, right)
    }

    fn join_objects<'p>(heap: &mut Heap<'p>, left: Own<'p>, right: Own<'p>) -> Own<'p> {
        join::objects(heap, left, right)
    }

    fn join_about(left: About, right: About) -> About {
        About {
            device: left.device.or(right.device),
        }
    }

    fn join_unlike<'p>(heap: &mut Heap<'p>, left: CellId, right: CellId) -> Option<Value<'p>> {
        join::one_of_two(heap, left, right)
    }

    fn either_context<'p>(
        heap: &Heap<'p>,
        left: &Value<'p>,
        right: &Value<'p>,
    ) -> Option<Object<'p>> {
        join::contexts(heap, left, right)
    }

    fn lose(heap: &mut Heap<'_>, object: CellId) {
        join::lose(heap, object);
    }

    fn parts_of_object<'p>(object: &Own<'p>, open: &mut Open<'p>) {
        match object {
            Own::Module(_, items) => open.push_all(items),
            Own::Averaged(value, ..)
            | Own::Scheduler(value)
            | Own::Ddp(value, _)
            | Own::Graphed(value, _)
            | Own::Queue(value)
            | Own::Future(value) => open.push(value),
            Own::Array(tensor, _) => open.cells.push(*tensor),
            Own::Graph(graph) => open.cells.extend(graph.one_of.iter().copied()),
            Own::Capture(arguments) => open.push(&arguments.graph),
            Own::Hook(hook) => open.push(&hook.callback),
            Own::Decorator(args) => open.push_all(args.iter().map(|(_, it)| it)),
            Own::Compiled(compiled) => open.push(&compiled.function),
            Own::Thread(thread) => {
                open.push(&thread.target);
                open.push_all(thread.args.all());
            }
            _ => {}
        }
    }

    fn parts_of_extension(tensor: &Tensor, open: &mut Open<'_>) {
        open.cells.extend(tensor.view_of);
        if open.possibly {
            open.cells.extend(tensor.may_be);
        }
        open.cells.extend(tensor.grad);
        open.cells.extend(tensor.parents.iter().copied());
    }
}
