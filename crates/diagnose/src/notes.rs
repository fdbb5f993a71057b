//! Remarks about a run as a whole.

pub(crate) mod compiled;
pub(crate) mod order;
mod values;
mod verification;

use cgsan_finding::Note;
use cgsan_trace::{AgentEvent, Ending, Record, Trace};

use crate::contradiction;
use crate::history::{History, Thrown, stack};
use crate::kernel_name;
use crate::subjects::Failure;

/// What limits the diagnosis of a process.
#[derive(Debug, Default)]
pub(crate) struct Limits {
    pub(crate) notes: Vec<Note>,
    /// How the trace ends, if not well.
    pub(crate) ending: Option<Note>,
    /// What holds unless another process forked this one: by custom, such a child leaves without cleaning up.
    pub(crate) unless_forked: Option<Note>,
}

/// What limits the diagnosis.
pub(crate) fn limits(history: &History<'_>) -> Limits {
    let mut notes: Vec<Note> = history
        .trace
        .entries()
        .iter()
        .filter_map(|entry| noted(history, &entry.record))
        .collect();
    notes.extend(compiled::notes(history));
    notes.extend(values::notes(history));
    notes.extend(verification::notes(history));
    notes.extend(other_gpu(history));
    notes.extend(newer(history).or_else(|| defect(history)));
    let running = history.captures.iter().any(|run| run.ended.is_none());
    let is_custom = history.trace.ending() == Ending::CutOff && !running;
    let (unless_forked, ending) = match ending(history) {
        Some(note) if is_custom => (Some(note), None),
        note => (None, note),
    };
    Limits {
        notes,
        ending,
        unless_forked,
    }
}

/// That the trace holds what this cgsan does not know. Where calls are missing, the model proves nothing against itself.
fn newer(history: &History<'_>) -> Option<Note> {
    let count = history.trace.unknown_records();
    (count > 0).then(|| {
        Note::new(
            format!(
                "records skipped because a newer cgsan wrote them: {count}; read the trace with the version that recorded it"
            ),
            None,
        )
    })
}

/// That the model contradicts the driver.
fn defect(history: &History<'_>) -> Option<Note> {
    if history.trace.summarized().is_some() {
        // Calls of the beginning are missing.
        return None;
    }
    let first = history.contradictions.first()?;
    let count = history.contradictions.len();
    let function = history.trace.string(first.record.function);
    let kept = &history.trace.kept().contradiction;
    let program = if kept.last() == Some(&first.position) {
        contradiction::describe(history, kept)
    } else {
        let found = contradiction::contradiction(history.trace)?;
        contradiction::describe(history, &found)
    };
    Some(Note::new(
        format!(
            "cgsan disagreed with the driver on {count} of the recorded calls, first {function}; the recorded answers \
             were used. This is a defect of cgsan: please report it with the trace (`--save`); below, the shortest \
             program that shows it\n{program}"
        ),
        history.location_of(*first),
    ))
}

/// A capture that the program left for a reason of its own, and not because a call was refused.
pub(crate) fn abandoned(failure: &Failure<'_, '_>) -> Option<Note> {
    failure.capture?;
    let thrown = failure.thrown()?;
    let text = "a capture was left by an exception of the program and not by CUDA";
    let note = match failure.raised_first() {
        Some(first) => Note::new(
            format!("{text}: {}; then {}", first.summary(), thrown.summary()),
            stack::user_location(&first.stack).or_else(|| failure.location()),
        ),
        None => Note::new(format!("{text}: {}", thrown.summary()), failure.location()),
    };
    Some(note)
}

/// The beginning of a kernel's name: those of templates go on for lines.
fn shortened(name: &str) -> String {
    const LONGEST: usize = 80;
    match name.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

fn noted(history: &History<'_>, record: &Record) -> Option<Note> {
    let (text, frame) = match record {
        Record::Missing { function, stack } => {
            let function = history.trace.string(*function);
            let text = format!(
                "the virtual GPU has no {function} and answered that it is not supported; if the program needs it, run it on a real GPU"
            );
            (text, *stack)
        }
        Record::ComputedValueRead { stack } => {
            let text = "the program read values that a kernel should have computed, so what it did with them may \
                        differ: the virtual GPU computes PyTorch's operators, but not with `--no-values`, and kernels of Triton; \
                        others not at all"
                .to_owned();
            (text, *stack)
        }
        Record::KernelNotComputed { function, stack } => {
            let kernel = history.trace.function_name(*function).unwrap_or("a kernel");
            let text = format!(
                "{} is not computed: what it writes stays as it was (no operator of PyTorch's launched it)",
                shortened(&kernel_name::of_compiled(kernel))
            );
            (text, *stack)
        }
        Record::Note { text } => (text.clone(), None),
        _ => return None,
    };
    let stack = frame.map(|frame| history.trace.stack(frame));
    Some(Note::new(
        text,
        stack.and_then(|stack| stack::user_location(&stack)),
    ))
}

/// That the program asked for a GPU beside the virtual ones, as the ranks of a job do that share a machine.
fn other_gpu(history: &History<'_>) -> Option<Note> {
    let asked = |thrown: &&Thrown<'_>| thrown.message.contains("invalid device ordinal");
    let thrown = history.thrown.iter().find(asked)?;
    history.trace.process().virtual_gpu.then(|| {
        Note::new(
            "the program asked for a GPU that does not exist; `--gpus N` makes N virtual GPUs",
            stack::user_location(&thrown.stack),
        )
    })
}

/// Whether Python ended for a SIGINT. It then ends by that signal, and nothing of C is told.
fn was_interrupted(trace: &Trace) -> bool {
    let ends = |event: &AgentEvent| matches!(event, AgentEvent::Exception { type_name, uncaught: true, .. } if type_name == "KeyboardInterrupt");
    trace.agent_events().any(|(_, event)| ends(event))
}

fn ending(history: &History<'_>) -> Option<Note> {
    let running = history.captures.iter().find(|run| run.ended.is_none());
    let text = match history.trace.ending() {
        Ending::Orderly => return None,
        Ending::CutOff if was_interrupted(history.trace) => {
            "the program was interrupted (Ctrl-C or SIGINT); everything until then is in the trace"
        }
        Ending::CutOff => {
            "the process was killed or left without cleaning up; everything until then is in the trace"
        }
        Ending::Stopped => {
            "recording stopped before the process ended; what happened afterwards is not in the trace"
        }
        Ending::Damaged { .. } => "the trace is damaged; what follows the damage was not read",
    };
    let began = running.and_then(|run| history.location_of(run.began));
    let running = began.map(|began| {
        let place = began.short();
        format!(". A capture was running then, which began at {place}")
    });
    Some(Note::new(
        format!("{text}{}", running.unwrap_or_default()),
        None,
    ))
}
