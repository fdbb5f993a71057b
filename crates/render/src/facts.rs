//! The facts of a finding in words.

use cgsan_diagnose::{
    CallInfo, CaptureInfo, Confidence, Consequence, Finding, Location, ThreadInfo,
};

use crate::{Options, path};

/// What was called, by whom, and what came back.
pub fn call(call: &CallInfo) -> String {
    let mut words = format!("`{}`", call.function);
    if let Some(library) = &call.library_function {
        words += &format!(", called inside `{library}`");
    }
    if let Some(runtime) = &call.runtime_function {
        words += &format!(", through `{runtime}`");
    }
    if words.contains(',') {
        words.push(',');
    }
    words += &format!(" returned {} ({})", call.code, call.name);
    if let Some(reason) = &call.reason {
        words += &format!(": {reason}");
    }
    words
}

/// The call at its arrow, short.
pub fn call_label(call: &CallInfo) -> String {
    format!("`{}` returned {}", call.function, call.code)
}

/// Where and how the capture was begun. A place that a label already shows is not named again.
pub fn capture(capture: &CaptureInfo, finding: &Finding, options: &Options) -> String {
    let mut words = format!("on {}, mode `{}`", capture.stream, capture.mode);
    if let (Some(file), Some(line)) = (&capture.file, capture.line) {
        let shown = finding
            .labels
            .iter()
            .any(|label| label.location.file == *file && label.location.line == line);
        if !shown {
            let file = path::shorten(file, options.directory.as_deref());
            words += &format!(", begun at {file}:{line}");
        }
    }
    words
}

/// The thread that made the call, where it is not the one that captures.
pub fn thread(finding: &Finding) -> Option<String> {
    let caller = finding.thread.as_ref()?;
    match &finding.capture {
        Some(capture) if capture.thread.id == caller.id => None,
        Some(capture) => Some(format!(
            "the call was made by {}, the capture belongs to {}",
            thread_name(caller),
            thread_name(&capture.thread)
        )),
        None => Some(thread_name(caller)),
    }
}

fn thread_name(thread: &ThreadInfo) -> String {
    match &thread.name {
        Some(name) => format!("thread `{name}` ({})", thread.id),
        None => format!("thread {}", thread.id),
    }
}

/// How sure the finding is, where that needs saying.
pub fn confidence(confidence: Confidence) -> Option<&'static str> {
    match confidence {
        Confidence::Confirmed => None,
        Confidence::Likely => {
            Some("likely: the recorded calls fit, and another cause is improbable")
        }
        Confidence::Possible => Some("possible: the recorded calls fit this cause, among others"),
    }
}

/// A later error on one line.
pub fn consequence(consequence: &Consequence, options: &Options) -> String {
    let mut words = String::new();
    if let Some(id) = consequence.id {
        words += &format!("[{id}] ");
    }
    words += &consequence.text;
    if let Some(place) = &consequence.location {
        words += &format!(" ({})", place_of(place, options));
    }
    words
}

/// `file:line`.
pub fn place_of(location: &Location, options: &Options) -> String {
    let file = path::shorten(&location.file, options.directory.as_deref());
    format!("{file}:{}", location.line)
}

/// A frame of a stack.
pub fn frame(location: &Location, options: &Options) -> String {
    let place = place_of(location, options);
    if location.function.is_empty() {
        place
    } else {
        format!("{place} in {}", location.function)
    }
}
