//! PyTorch's contexts, and those of Python's threads: what holds inside them.

use super::capture::CaptureId;
use super::object::Own;
use crate::interp::value::{CellId, Value};
use crate::syntax::ast::{self, TextRange};
use crate::torch::{Interp, Kind};

/// What is to be done when a context is left.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Exit {
    Capture(CaptureId, Option<CellId>),
    Stream(Option<CellId>),
    Grad(bool),
    Inference(bool, Option<bool>),
    Autocast,
    Lock(Option<CaptureId>),
    Executor(CellId),
}

impl<'p> Interp<'p> {
    /// Enters a context: its value, and what is to be done at its end.
    pub(crate) fn enter_own(
        &mut self,
        context: &Value<'p>,
        range: TextRange,
        statement: Option<&'p ast::StmtWith>,
    ) -> (Value<'p>, Exit) {
        let around = self.flow.stream;
        let Value::Object(cell) = context else {
            // It may set a stream, or a mode.
            if matches!(context, Value::Unknown) {
                self.flow.stream = None;
                self.flow.inference = None;
            }
            return (Value::Unknown, Exit::Stream(around));
        };
        let Some(Kind::Library(own)) = self.heap.object(*cell).map(|it| it.kind.clone()) else {
            return (context.clone(), Exit::Stream(around));
        };
        match own {
            Own::Capture(arguments) => {
                let id = self.enter_graph(&arguments, range, statement);
                (Value::Unknown, Exit::Capture(id, around))
            }
            Own::OnStream(stream) => {
                match stream {
                    Value::Object(stream) => self.flow.stream = Some(stream),
                    Value::None => {}
                    _ => self.flow.stream = None,
                }
                (Value::Unknown, Exit::Stream(around))
            }
            Own::Stream(_) => {
                self.flow.stream = Some(*cell);
                (context.clone(), Exit::Stream(around))
            }
            Own::Grad(on, earlier) => {
                let before = std::mem::replace(&mut self.flow.grad, on);
                (Value::Unknown, Exit::Grad(earlier.unwrap_or(before)))
            }
            Own::Inference(on) => {
                let grad = std::mem::replace(&mut self.flow.grad, on == Some(false));
                let around = std::mem::replace(&mut self.flow.inference, on);
                (Value::Unknown, Exit::Inference(grad, around))
            }
            Own::Autocast(site, cached) => {
                self.flow.autocast.push((site, cached, false));
                (Value::Unknown, Exit::Autocast)
            }
            // What a lock guards in another thread is taken to be kept apart from the capture.
            Own::Lock => {
                self.threads_meet();
                (Value::Unknown, Exit::Lock(self.flow.foreign.take()))
            }
            Own::Executor => (context.clone(), Exit::Executor(*cell)),
            _ => (context.clone(), Exit::Stream(around)),
        }
    }

    /// Leaves it again.
    pub(crate) fn exit_own(&mut self, exit: Exit) {
        match exit {
            Exit::Capture(id, stream) => {
                self.end_capture(id);
                self.flow.stream = stream;
            }
            Exit::Stream(stream) => self.flow.stream = stream,
            Exit::Grad(on) => self.flow.grad = on,
            Exit::Inference(grad, around) => {
                self.flow.grad = grad;
                self.flow.inference = around;
            }
            Exit::Autocast => {
                self.flow.autocast.pop();
            }
            Exit::Lock(foreign) => {
                self.flow.foreign = foreign.filter(|_| !self.has_stopped());
            }
            Exit::Executor(executor) => self.join_executor(executor),
        }
    }
}
