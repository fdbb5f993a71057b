//! The texts of a record.

use crate::{AgentEvent, Record, StackFrame, TwinCause};

impl Record {
    /// Changes every text that it holds, paths and messages among them.
    pub fn change_texts(&mut self, change: &mut impl FnMut(&mut String)) {
        match self {
            Record::Process(process) => {
                process.arguments.iter_mut().for_each(&mut *change);
                change(&mut process.directory);
                change(&mut process.python);
                change(&mut process.torch);
                change(&mut process.device);
                process.host.as_mut().map(&mut *change);
                process.run.as_mut().map(&mut *change);
                process.job.as_mut().map(&mut *change);
            }
            Record::String { text, .. } | Record::Note { text } => change(text),
            Record::Summarized { summary, .. } => change(summary),
            Record::Exception { message, .. } => change(message),
            Record::NativeName { name, .. } => change(name),
            Record::Agent { event, .. } => event.change_texts(change),
            Record::Code { .. }
            | Record::Frame { .. }
            | Record::NativeStack { .. }
            | Record::Function { .. }
            | Record::ThreadName { .. }
            | Record::Call(_)
            | Record::UnreadableAgentEvent
            | Record::Missing { .. }
            | Record::ComputedValueRead { .. }
            | Record::KernelNotComputed { .. }
            | Record::Fork { .. }
            | Record::End
            | Record::Contradiction { .. }
            | Record::Tried { .. }
            | Record::Watched { .. }
            | Record::Ordered { .. }
            | Record::OperatorBegin(_)
            | Record::OperatorEnd { .. }
            | Record::Operator { .. }
            | Record::BlockAllocated(_)
            | Record::BlockFreed(_)
            | Record::Addresses(_)
            | Record::Counted(_)
            | Record::ExecutableMemory { .. } => {}
        }
    }
}

impl AgentEvent {
    fn change_texts(&mut self, change: &mut impl FnMut(&mut String)) {
        match self {
            AgentEvent::Exception {
                type_name,
                message,
                traceback,
                ..
            } => {
                change(type_name);
                change(message);
                for frame in traceback {
                    change(&mut frame.file);
                    change(&mut frame.function);
                }
            }
            AgentEvent::Autograd { nodes } => {
                for node in nodes {
                    change(&mut node.name);
                    node.variable.as_mut().map(&mut *change);
                }
            }
            AgentEvent::CaptureBegins { mode, .. } => {
                mode.as_mut().map(change);
            }
            AgentEvent::GraphCaptured { names, .. } => {
                for it in names {
                    change(&mut it.name);
                }
            }
            AgentEvent::InputsRebound { names, uses, .. } => {
                for it in uses.iter_mut().flatten() {
                    let lines = it.rebound.iter_mut().chain(&mut it.still_held);
                    lines.for_each(|(file, _)| change(file));
                }
                for it in names {
                    change(&mut it.name);
                    let texts = [&mut it.function, &mut it.file];
                    texts.into_iter().flatten().for_each(&mut *change);
                    it.still_held_by.iter_mut().for_each(&mut *change);
                }
            }
            AgentEvent::OutputsKept {
                containers, added, ..
            } => {
                for it in containers {
                    it.name.as_mut().map(&mut *change);
                    change(&mut it.type_name);
                }
                for (file, _) in added.iter_mut().flatten().flatten() {
                    change(file);
                }
            }
            AgentEvent::HooksSkipped { hooks, .. } => {
                for it in hooks {
                    change(&mut it.module);
                    change(&mut it.hook);
                    it.file.as_mut().map(&mut *change);
                }
            }
            AgentEvent::Partitioned {
                function,
                file,
                operators,
                ..
            } => {
                change(function);
                change(file);
                for it in operators {
                    [&mut it.operator, &mut it.file, &mut it.function]
                        .into_iter()
                        .for_each(&mut *change);
                    it.reason.as_mut().map(&mut *change);
                }
            }
            AgentEvent::OptimizerChanged { changes, .. } => {
                for it in changes {
                    change(&mut it.name);
                    change(&mut it.key);
                }
            }
            AgentEvent::TwinCompared {
                differences,
                stopped,
                cause,
                set_by,
                arguments,
                constants,
                ..
            } => {
                for it in differences {
                    let texts = [&mut it.captured, &mut it.eager, &mut it.name, &mut it.view];
                    texts.into_iter().flatten().for_each(&mut *change);
                    change_frames(it.asked.as_deref_mut().unwrap_or_default(), change);
                    for side in [&mut it.then, &mut it.now].into_iter().flatten() {
                        change(&mut side.operator);
                        change_frames(&mut side.stack, change);
                    }
                }
                stopped.as_mut().map(&mut *change);
                change_frames(set_by.as_deref_mut().unwrap_or_default(), change);
                constants.iter_mut().flatten().for_each(&mut *change);
                for it in arguments.iter_mut().flatten() {
                    change(&mut it.file);
                    change(&mut it.function);
                }
                if let Some(cause) = cause {
                    change_cause(cause, change);
                }
            }
            AgentEvent::TwinsLeftOut { graphs } => {
                for (_, reason) in graphs {
                    change(reason);
                }
            }
            AgentEvent::HostState { changes, .. } => {
                for it in changes {
                    change(&mut it.name);
                    change(&mut it.before);
                    change(&mut it.after);
                    it.file.as_mut().map(&mut *change);
                }
            }
            AgentEvent::Gradients { gradients, .. } => {
                for it in gradients {
                    change(&mut it.name);
                }
            }
            AgentEvent::OutputOverwritten { made, stack, .. } => {
                change_frames(made, change);
                change_frames(stack, change);
            }
            AgentEvent::RecordedAgain {
                reason: message,
                stack,
            }
            | AgentEvent::HostMessage {
                call: message,
                stack,
            }
            | AgentEvent::Compiled { message, stack, .. } => {
                change(message);
                change_frames(stack, change);
            }
            AgentEvent::NotComputed {
                operator,
                reason,
                stack,
                stays: _,
            }
            | AgentEvent::DeviceFailed {
                operator,
                reason,
                stack,
                code: _,
            } => {
                change(operator);
                change(reason);
                change_frames(stack, change);
            }
            AgentEvent::Verification {
                callables,
                stack,
                graphs,
                ..
            } => {
                for it in callables {
                    change(&mut it.name);
                    it.message.as_mut().map(&mut *change);
                    change_frames(&mut it.stack, change);
                }
                for it in graphs.iter_mut().flatten() {
                    it.reason.as_mut().map(&mut *change);
                    change_frames(&mut it.stack, change);
                }
                change_frames(stack, change);
            }
            AgentEvent::Cell { file, code, .. } => {
                change(file);
                change(code);
            }
            AgentEvent::GroupCreated { name, .. } | AgentEvent::PartBegins { name } => {
                change(name);
            }
            AgentEvent::GroupDestroyed { graphs, .. } | AgentEvent::GroupsLeft { graphs, .. } => {
                for it in graphs {
                    let texts = [&mut it.name, &mut it.file];
                    texts.into_iter().flatten().for_each(&mut *change);
                }
            }
            AgentEvent::Memory { settings, .. } => {
                settings.as_mut().map(&mut *change);
            }
            AgentEvent::Rank(_)
            | AgentEvent::GradientBuffers { .. }
            | AgentEvent::HostSourcesChanged { .. }
            | AgentEvent::BackwardOfEarlier { .. }
            | AgentEvent::LeftCompared { .. }
            | AgentEvent::OverwrittenRead { .. }
            | AgentEvent::EndingTimer
            | AgentEvent::PartsTold => {}
        }
    }
}

fn change_cause(cause: &mut TwinCause, change: &mut impl FnMut(&mut String)) {
    match cause {
        TwinCause::Mode {
            name,
            captured,
            eager,
        } => [name, captured, eager].into_iter().for_each(change),
        TwinCause::Hook {
            kind,
            hook,
            registered,
            ..
        } => {
            change(kind);
            change(hook);
            change_frames(registered.as_mut_slice(), change);
        }
        TwinCause::Learns { parameter, .. } => {
            parameter.as_mut().map(change);
        }
    }
}

fn change_frames(stack: &mut [StackFrame], change: &mut impl FnMut(&mut String)) {
    for frame in stack {
        change(&mut frame.file);
        change(&mut frame.function);
    }
}
