//! What a program did after CUDA had refused a call on its graphs: whether it took the answer into account.

use cgsan_model::{Call, ExecId, GraphId};
use cgsan_trace::{AgentEvent, Record};

use crate::history::{History, Step, Thrown};

/// What a program did about an update of an executable graph, or an instantiation, that was refused.
pub(crate) enum Afterwards<'h, 't> {
    /// It launched the executable, which is what it was before.
    Launched(Step<'t>),
    /// It went on with another executable, and the error that nobody took away was raised by PyTorch later.
    Raised(&'h Thrown<'t>),
    /// Its thread ended by an exception, without a call on graphs that succeeded.
    Ended,
    /// It went on.
    WentOn,
}

impl<'h, 't> Afterwards<'h, 't> {
    /// What a program did after a refused call that would have changed `exec`, if it exists, or made one of `graph`.
    pub(super) fn of(
        history: &'h History<'t>,
        refused: Step<'t>,
        exec: Option<ExecId>,
        graph: GraphId,
    ) -> Afterwards<'h, 't> {
        match next(history, refused, exec, graph) {
            Afterwards::WentOn => {
                raised(history, refused).map_or(Afterwards::WentOn, Afterwards::Raised)
            }
            other => other,
        }
    }
}

fn next<'h, 't>(
    history: &'h History<'t>,
    refused: Step<'t>,
    exec: Option<ExecId>,
    graph: GraphId,
) -> Afterwards<'h, 't> {
    let trace = history.trace;
    for position in refused.position + 1..trace.entries().len() {
        let entry = &trace.entries()[position];
        match &entry.record {
            Record::Call(record) if record.result.is_success() => match record.call {
                Call::GraphLaunch { exec: launched, .. } if Some(launched) == exec => {
                    let thread = entry.thread;
                    return Afterwards::Launched(Step {
                        position,
                        thread,
                        record,
                    });
                }
                Call::GraphInstantiate { graph: made, .. } if made == graph => {
                    return Afterwards::WentOn;
                }
                Call::GraphExecUpdate { exec: changed, .. }
                | Call::GraphExecDestroy { exec: changed }
                    if Some(changed) == exec =>
                {
                    return Afterwards::WentOn;
                }
                Call::GraphLaunch { .. } | Call::GraphInstantiate { .. }
                    if entry.thread == refused.thread =>
                {
                    return Afterwards::WentOn;
                }
                _ => {}
            },
            Record::Agent { .. } if entry.thread == refused.thread => {
                if let Some(AgentEvent::Exception { uncaught: true, .. }) =
                    trace.agent_event(position)
                {
                    return Afterwards::Ended;
                }
            }
            _ => {}
        }
    }
    Afterwards::WentOn
}

/// The exception by which PyTorch reports the error of a refused call: after a launch it asks for the last error that nobody took
/// away (`C10_CUDA_KERNEL_LAUNCH_CHECK`), and so raises what another call left.
fn raised<'h, 't>(history: &'h History<'t>, refused: Step<'t>) -> Option<&'h Thrown<'t>> {
    let text = refused.record.result.text()?;
    history.thrown.iter().find(|thrown| {
        thrown.position > refused.position
            && thrown.thread == refused.thread
            && thrown.by_pytorch()
            && thrown.message.contains(text)
    })
}
