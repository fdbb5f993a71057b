//! The facts of a finding in words.

use cgsan_finding::{
    CallInfo, CaptureInfo, Confidence, Consequence, Finding, Location, Observed, Process,
    ThreadInfo,
};

use crate::{Options, path, text};

/// What was called, by whom, and what came back.
pub fn call(call: &CallInfo) -> String {
    let through = call
        .runtime_function
        .as_ref()
        .map(|name| format!("through `{name}`"));
    let inside = call
        .library_function
        .as_ref()
        .map(|name| format!("inside `{name}`"));
    let way: Vec<String> = through.into_iter().chain(inside).collect();
    let way = match way.as_slice() {
        [] => String::new(),
        way => format!(", {},", way.join(" ")),
    };
    let reason = call.reason.as_ref().map(|reason| format!(": {reason}"));
    format!(
        "`{}`{way} returned {} ({}){}",
        call.function,
        call.code,
        call.name,
        reason.unwrap_or_default()
    )
}

/// The call at its arrow, short.
pub fn call_label(call: &CallInfo) -> String {
    format!("`{}` returned {}", call.function, call.code)
}

/// Where and how the capture was begun. A place that a label already shows is not named again.
pub fn capture(capture: &CaptureInfo, finding: &Finding, options: &Options) -> String {
    let is_shown = |file: &str, line: u32| {
        finding
            .labels
            .iter()
            .any(|label| label.location.file == *file && label.location.line == line)
    };
    let begun = match (&capture.file, capture.line) {
        (Some(file), Some(line)) if !is_shown(file, line) => {
            let file = path::shorten(file, options.directory.as_deref());
            format!(", begun at {file}:{line}")
        }
        _ => String::new(),
    };
    format!("on {}, mode `{}`{begun}", capture.stream, capture.mode)
}

/// The thread that made the call, where it is neither the one that captures nor the only one to think of.
pub fn thread(observed: &Observed) -> Option<String> {
    const MAIN: Option<&str> = Some("MainThread");
    let caller = observed.thread.as_ref()?;
    match &observed.capture {
        Some(capture) if capture.thread.id == caller.id => None,
        None if caller.name.as_deref() == MAIN => None,
        Some(capture) => Some(format!(
            "the call was made by {}, the capture is that of {}",
            thread_name(caller),
            thread_name(&capture.thread)
        )),
        None => Some(thread_name(caller)),
    }
}

fn thread_name(thread: &ThreadInfo) -> String {
    match &thread.name {
        Some(name) => format!("`{name}` ({})", thread.id),
        None => thread.id.to_string(),
    }
}

/// Whose finding it is, where there is more than one process to think of.
pub fn processes(observed: &Observed, options: &Options) -> Option<String> {
    let processes = &observed.processes;
    let world_size = processes.iter().find_map(|process| process.world_size);
    if !options.several_processes && world_size.is_none_or(|size| size < 2) {
        return None;
    }
    let of = world_size
        .filter(|_| processes.iter().all(|process| process.rank.is_some()))
        .map(|size| format!(" of {size}"));
    let local = match processes.as_slice() {
        [process] if process.local_rank != process.rank => {
            let host = process.host.as_ref().map(|host| format!(" on {host}"));
            let host = host.unwrap_or_default();
            process
                .local_rank
                .map(|rank| format!(" (local rank {rank}{host})"))
        }
        _ => None,
    };
    Some(format!(
        "{}{}{}",
        Process::names(processes),
        of.unwrap_or_default(),
        local.unwrap_or_default()
    ))
}

/// How often it happened, where that is more than once.
pub fn times(observed: &Observed) -> Option<String> {
    let count = observed.count;
    let each = match observed.processes.as_slice() {
        [first, rest @ ..] if !rest.is_empty() => rest
            .iter()
            .all(|process| process.count == first.count)
            .then_some(first.count),
        _ => None,
    };
    match (count, each) {
        (0 | 1, _) | (_, Some(1)) => None,
        (_, Some(each)) => Some(format!("{each} in each; the first is shown")),
        (count, None) => Some(format!("{count}; the first is shown")),
    }
}

/// How sure the finding is, where that needs saying.
pub fn confidence(confidence: Confidence) -> Option<&'static str> {
    match confidence {
        Confidence::Confirmed => None,
        Confidence::Likely => Some("likely: what was seen fits, and another cause is improbable"),
        Confidence::Possible => Some("possible: what was seen fits this cause, among others"),
    }
}

/// A later error on one line. Its place is short where it is in the finding's own file.
pub fn consequence(consequence: &Consequence, finding: &Finding, options: &Options) -> String {
    let place = consequence
        .location
        .as_ref()
        .map(|place| match &finding.location {
            Some(here) if here.file == place.file => format!("line {}: ", place.line),
            _ => format!("{}: ", place_of(place, options)),
        });
    let id = consequence.id.map(|id| format!("[{id}] "));
    format!(
        "{}{}{}",
        place.unwrap_or_default(),
        id.unwrap_or_default(),
        consequence.text
    )
}

/// `file:line`, or `file:line:column` where the column is known; in a notebook, those of the cell.
pub fn place_of(location: &Location, options: &Options) -> String {
    let line = location.cell.map_or(location.line, |cell| cell.line);
    let column = location
        .span
        .as_ref()
        .map(|span| format!(":{}", span.column));
    format!(
        "{}:{line}{}",
        text_name(location, options),
        column.unwrap_or_default()
    )
}

/// The file of a place, and in a notebook the cell.
pub fn text_name(location: &Location, options: &Options) -> String {
    let file = path::shorten(&location.file_name(), options.directory.as_deref());
    match location.cell {
        Some(cell) => format!("{file}:cell {}", cell.number),
        None => file,
    }
}

/// A frame of a stack.
pub fn frame(location: &Location, options: &Options) -> String {
    let place = place_of(location, options);
    if location.function.is_empty() {
        place
    } else {
        format!("{place} in {}", text::printable(&location.function))
    }
}
