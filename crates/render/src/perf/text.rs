//! What graphs would gain, as text: the verdict, the measures of a step, its stretches, findings, and what is lacking.

use cgsan_finding::{Coverage, Report};
use cgsan_perf::units::{count, nanoseconds, share, share_of, shares, times};
use cgsan_perf::{Bounds, DeviceMeasures, Found, Measures, Performance, Place, Stretch, Verdict};

use super::OfProcess;
use crate::style::Painter;
use crate::table::{Row, aligned, row};
use crate::{Options, Sources, path, terminal, text as words};

/// How many stretches are shown unless all are asked for.
const STRETCHES: usize = 12;

/// What is said of processes, each with an empty line behind it.
pub fn text(processes: &[OfProcess], options: &Options, sources: &mut Sources<'_>) -> String {
    let mut output = String::new();
    for process in processes {
        if processes.len() > 1 {
            output += &whose(process, options);
        }
        output += &one(process, options, sources);
    }
    words::shown(&output)
}

fn whose(process: &OfProcess, options: &Options) -> String {
    let painter = Painter::new(options.color);
    let id = process.process.map(|it| format!(" (process {it})"));
    let files = process.files.join(", ");
    format!(
        "{}\n\n",
        painter.strong(&format!("{files}{}", id.unwrap_or_default()))
    )
}

fn one(process: &OfProcess, options: &Options, sources: &mut Sources<'_>) -> String {
    let it = &process.performance;
    let report = Report {
        findings: it.findings.clone(),
        notes: process.notes.clone(),
        ..Report::default()
    };
    [
        verdict(it, options),
        measures(it, options),
        stretches(it, options),
        terminal::findings(&report, options, sources),
        conclusion(it, options),
    ]
    .concat()
}

/// What a step gains with graphs, in words; `None` where it takes no time that could be saved.
fn gained(now_ns: Bounds, graph_ns: Bounds, gain: Bounds) -> Option<String> {
    if now_ns.high <= 0.0 {
        return None;
    }
    let (now, saved) = (times(now_ns), shares(gain));
    if saved == shares(Bounds::exactly(0.0)) {
        return Some(format!(": with graphs a step would take as long, {now}"));
    }
    let graph = times(graph_ns);
    Some(format!(
        ": with graphs a step would take {graph} instead of {now} ({saved} saved)"
    ))
}

/// The verdict with the gain, and the reason.
fn verdict(it: &Performance, options: &Options) -> String {
    let painter = Painter::new(options.color);
    let predicted = it.prediction.as_ref();
    let predicted = predicted.and_then(|it| gained(it.now_ns, it.graph_ns, it.gain));
    let line = format!(
        "cgsan perf: {}{}",
        it.verdict.words(),
        predicted.unwrap_or_default()
    );
    let reason = words::hang(&it.reason, options.prose_width(), 2);
    format!(
        "{}\n  {reason}\n\n",
        painter.strong(&words::hang(&line, options.prose_width(), 2))
    )
}

fn measures(it: &Performance, options: &Options) -> String {
    if it.steps.count == 0 {
        return String::new();
    }
    let heading = Painter::new(options.color).heading(&heading(it));
    let rows = rows(&it.measures);
    format!("{heading}\n{}\n", aligned(&rows, 3))
}

fn heading(it: &Performance) -> String {
    let steps = &it.steps;
    let found = match &steps.found {
        Found::Marked { name } => format!("marked by `{name}`"),
        Found::Repeating { launches } => {
            let launches = count(*launches, "launch", "launches");
            format!("the shortest sequence that repeats: {launches}")
        }
        Found::Whole => {
            return "all that was recorded, since no step was found in it".to_owned();
        }
    };
    let left_out = match steps.left_out {
        0 => String::new(),
        1 => "; 1 that deviates was left out".to_owned(),
        count => format!("; {count} that deviate were left out"),
    };
    format!("a step, median of {} ({found}{left_out})", steps.count)
}

fn rows(measures: &Measures) -> Vec<Row> {
    let duration = measures.duration_ns;
    // Without times there are counts.
    let has_times = duration > 0;
    let mut rows = Vec::new();
    if has_times {
        rows.push(row(["duration", &nanoseconds(duration), ""]));
    }
    match &measures.device {
        Some(device) if has_times => rows.extend(rows_of_device(device, duration)),
        Some(device) => rows.push(row([
            "in graphs",
            &share(device.work_in_graphs),
            "of the work",
        ])),
        None => {}
    }
    rows.push(row(["launches", &measures.launches.to_string(), ""]));
    if measures.replays > 0 {
        rows.push(row([
            "  replays of graphs",
            &measures.replays.to_string(),
            "",
        ]));
    }
    if measures.copies_before_replays > 0 {
        let device = measures.device.as_ref();
        let took = device.filter(|_| has_times);
        let took = took.map(|it| nanoseconds(it.copies_before_replays_ns));
        rows.push(row([
            "  copies right before them",
            &measures.copies_before_replays.to_string(),
            &took.unwrap_or_default(),
        ]));
    }
    let waited = if measures.waits > 0 && has_times {
        nanoseconds(measures.waited_ns)
    } else {
        String::new()
    };
    rows.push(row([
        "waits of the host",
        &measures.waits.to_string(),
        &waited,
    ]));
    if let Some(device) = &measures.device {
        let at_once = if has_times {
            format!("{} at once", device.at_once)
        } else {
            String::new()
        };
        rows.push(row(["streams", &device.streams.to_string(), &at_once]));
    }
    rows
}

fn rows_of_device(device: &DeviceMeasures, duration: u64) -> Vec<Row> {
    let part = |time: u64| share_of(time, duration);
    let ahead = if device.ahead_ns < 0 {
        "work begins before its launch returns"
    } else {
        "from a launch's return to its work"
    };
    vec![
        row([
            "device busy",
            &nanoseconds(device.busy_ns),
            &part(device.busy_ns),
        ]),
        row([
            "device idle",
            &nanoseconds(device.idle_ns),
            &part(device.idle_ns),
        ]),
        row([
            "host ahead by",
            &nanoseconds(device.ahead_ns.max(0).cast_unsigned()),
            ahead,
        ]),
        row([
            "in graphs",
            &share(device.work_in_graphs),
            &format!("of the work; {} of its time", share(device.time_in_graphs)),
        ]),
    ]
}

/// The parts between waits, and which one to graph first.
fn stretches(it: &Performance, options: &Options) -> String {
    let painter = Painter::new(options.color);
    if it.stretches.is_empty() {
        return String::new();
    }
    let shown = if options.full {
        it.stretches.len()
    } else {
        STRETCHES.min(it.stretches.len())
    };
    let mut rows = vec![row([
        "#",
        "where",
        "verdict",
        "launches",
        "duration",
        "idle",
        "as a graph",
        "saved",
    ])];
    for (at, stretch) in it.stretches.iter().take(shown).enumerate() {
        rows.push(row([
            &(at + 1).to_string(),
            &words::one_line(&short_place(&stretch.place), 40),
            stretch.verdict.words(),
            &stretch.launches.to_string(),
            &nanoseconds(stretch.duration_ns),
            &nanoseconds(stretch.idle_ns),
            &times(stretch.prediction.graph_ns),
            &shares(stretch.prediction.gain),
        ]));
    }
    let more = match it.stretches.len() - shown {
        0 => String::new(),
        count => format!("  … {count} more\n"),
    };
    let heading = if it.stretches.len() > 1 {
        "the stretches of a step, between waits of the host"
    } else {
        "the step, which is one stretch"
    };
    format!(
        "{}\n{}{more}{}\n",
        painter.heading(heading),
        aligned(&rows, 3),
        first(it, options)
    )
}

fn first(it: &Performance, options: &Options) -> String {
    let Some((at, stretch)) = it.first.and_then(|at| Some((at, it.stretches.get(at)?))) else {
        return String::new();
    };
    let which = if it.stretches.len() > 1 {
        format!("stretch {}", at + 1)
    } else {
        "the step".to_owned()
    };
    let place = match place(&stretch.place, options) {
        it if it == UNKNOWN => String::new(),
        it => format!(", {it}"),
    };
    let may = match stretch.verdict {
        Verdict::WorthIt => "",
        Verdict::NotWorthIt | Verdict::CannotTell => ", if any",
    };
    let text = format!("to graph first{may}: {which}{place}{}", ends(stretch));
    format!("  {}\n", words::hang(&text, options.prose_width(), 2))
}

fn ends(stretch: &Stretch) -> String {
    let wait = stretch.wait.as_ref();
    wait.map_or_else(String::new, |it| {
        format!("; it ends where the host waits in `{it}`")
    })
}

const UNKNOWN: &str = "?";

/// A place in a cell of a table.
fn short_place(place: &Place) -> String {
    match &place.location {
        Some(location) => format!("`{}` at {}", location.function, location.short()),
        None if place.words.is_empty() => UNKNOWN.to_owned(),
        None => place.words.clone(),
    }
}

/// The same with the path of the file.
fn place(place: &Place, options: &Options) -> String {
    let Some(location) = &place.location else {
        return short_place(place);
    };
    let file = path::shorten(&location.file_name(), options.directory.as_deref());
    format!("`{}` at {file}:{}", location.function, location.line)
}

/// The last lines: how many findings, and what was not measured.
fn conclusion(it: &Performance, options: &Options) -> String {
    const LABEL: &str = "       not measured: ";
    let found = match it.findings.len() {
        0 => "no findings".to_owned(),
        count => words::count(count, "finding"),
    };
    let found = Painter::new(options.color).strong(&format!("cgsan: {found}"));
    let coverage = Coverage {
        not_watched: it.lacks.clone(),
        ..Coverage::default()
    };
    let lacks = coverage.gaps_in_words().map(|gaps| {
        let gaps = words::hang(&gaps, options.prose_width(), LABEL.len());
        format!("{LABEL}{gaps}\n")
    });
    format!(
        "{found} ({})\n{}\n",
        count(it.steps.count, "step", "steps"),
        lacks.unwrap_or_default()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gain_is_told_where_there_is_one() {
        let gained = |now: f64, graph: f64, gain: f64| {
            let [now, graph, gain] = [now, graph, gain].map(Bounds::exactly);
            gained(now, graph, gain)
        };
        let told = ": with graphs a step would take 1.00 ms instead of 2.00 ms (50 % saved)";
        assert_eq!(gained(2e6, 1e6, 0.5).as_deref(), Some(told));
        let told = ": with graphs a step would take as long, 2.00 ms";
        assert_eq!(gained(2e6, 2e6, 0.001).as_deref(), Some(told));
        assert_eq!(gained(0.0, 0.0, 0.0), None);
    }
}
