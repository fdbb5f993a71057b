//! CG507: `torch.compile` cut the step.

use cgsan_finding::{Confidence, Finding, Location};
use cgsan_timeline::{Frame, Place, Range};

use super::subject::{self, NOTABLE, Subject};
use crate::bounds::median;
use crate::indexed::Indexed;
use crate::step::Step;
use crate::units::{nanoseconds, share};

/// What PyTorch names a range around a compiled part.
const REGION: &str = "Torch-Compiled Region";
/// How many breaks are told apart.
const MOST: usize = 64;
/// How Dynamo names what follows a graph break: the function and the line of the break come behind it.
const RESUME: &str = "torch_dynamo_resume_in_";

pub(super) fn find(subject: &Subject<'_>) -> Option<Finding> {
    if regions(subject) < 2 {
        return None;
    }
    let outside = subject.idle_outside();
    let lost = subject.part(outside);
    if lost < NOTABLE {
        return None;
    }
    // Two compiled parts may be two functions that the program compiles. What Dynamo resumes is a break.
    let breaks = breaks(subject);
    let first = breaks.first()?;
    let mut finding = subject::finding(
        match breaks.len() {
            1 => "a graph break cuts the compiled step".to_owned(),
            count => format!("{count} graph breaks cut the compiled step"),
        },
        Confidence::Confirmed,
        Some(first.clone()),
    );
    let lines: Vec<String> = breaks.iter().take(8).map(Location::short).collect();
    finding.notes = vec![
        format!("Dynamo goes on behind {}", lines.join(", ")),
        format!(
            "a step has {} compiled parts, and the device is idle for {} outside of graphs, {} of its time",
            regions(subject),
            nanoseconds(outside),
            share(lost)
        ),
    ];
    finding.help = vec![
        "`TORCH_LOGS=graph_breaks` says why; `fullgraph=True` makes the compiler raise there instead".to_owned(),
    ];
    Some(finding)
}

/// Whether compiled code of PyTorch's is what launches.
pub(super) fn is_compiled(subject: &Subject<'_>) -> bool {
    regions(subject) > 0
}

/// How many compiled parts a step runs.
fn regions(subject: &Subject<'_>) -> u64 {
    let steps = subject
        .windows
        .iter()
        .flat_map(|(indexed, steps)| steps.iter().map(move |it| in_step(indexed, it)));
    median(steps).unwrap_or(0)
}

fn in_step(indexed: &Indexed<'_>, step: &Step) -> u64 {
    let names = &indexed.timeline.names;
    let timeline = indexed.timeline;
    // PyTorch's versions record them as operators, or as ranges.
    [&timeline.operators, &timeline.ranges]
        .into_iter()
        .map(|ranges| {
            let ranges = in_time(ranges, step);
            ranges
                .filter(|it| names.text(it.name).starts_with(REGION))
                .count() as u64
        })
        .max()
        .unwrap_or(0)
}

fn in_time<'a>(ranges: &'a [Range], step: &Step) -> impl Iterator<Item = &'a Range> + use<'a> {
    let first = ranges.partition_point(|it| it.span.start < step.begin);
    let end = ranges.partition_point(|it| it.span.start < step.end);
    ranges[first.min(end)..end].iter()
}

/// The lines behind which Dynamo resumes, in order.
fn breaks(subject: &Subject<'_>) -> Vec<Location> {
    let mut found: Vec<Location> = Vec::new();
    for (indexed, steps) in subject.windows {
        let (Some(first), Some(last)) = (steps.first(), steps.last()) else {
            continue;
        };
        let frames = indexed.timeline.frames.iter();
        let in_steps = frames.filter(|it| (first.begin..last.end).contains(&it.span.start));
        for location in in_steps.filter_map(|it| resumed(indexed, it)) {
            if found.len() < MOST && !found.contains(&location) {
                found.push(location);
            }
        }
    }
    found.sort_by(|one, two| (&one.file, one.line).cmp(&(&two.file, two.line)));
    found
}

/// The line of the break that a function goes on behind.
fn resumed(indexed: &Indexed<'_>, frame: &Frame) -> Option<Location> {
    let place = Place::of(indexed.timeline.names.text(frame.name))?;
    let resumed = place.function.strip_prefix(RESUME)?;
    let (function, line) = resumed.rsplit_once("_at_")?;
    Some(Location {
        file: place.file.into(),
        line: line.parse().ok()?,
        span: None,
        cell: None,
        function: function.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use crate::sketch::{Sketch, found, judged, steps};

    const NODES: [(&str, u64); 3] = [("triton_poi_fused_add_0", 5_000); 3];

    fn compiled(it: &mut Sketch, number: u32) {
        it.operator(&format!("Torch-Compiled Region: {number}/0"), |it| {
            it.replay(&NODES, 500);
        });
    }

    fn broken(it: &mut Sketch) {
        compiled(it, 0);
        it.wait().host(50_000);
        it.frame("train.py(12): torch_dynamo_resume_in_step_at_17", |it| {
            compiled(it, 1);
        });
        it.host(20_000);
    }

    #[test]
    fn what_dynamo_resumes_is_a_break_with_its_line() {
        let performance = judged(steps(broken));
        let [finding] = &performance.findings[..] else {
            panic!("{:?}", performance.findings);
        };
        assert_eq!(finding.id, "CG507");
        let location = finding.location.as_ref().expect("a line");
        assert_eq!((location.line, location.function.as_str()), (17, "step"));
    }

    #[test]
    fn a_step_in_one_part_is_not_cut() {
        let ids = found(|it| {
            it.frame("train.py(12): step", |it| compiled(it, 0));
            it.host(50_000);
        });
        assert!(!ids.contains(&"CG507"), "{ids:?}");
    }

    #[test]
    fn two_functions_that_are_compiled_are_no_break() {
        let ids = found(|it| {
            it.frame("train.py(12): forward", |it| compiled(it, 0));
            it.host(50_000);
            it.frame("train.py(30): loss", |it| compiled(it, 1));
        });
        assert!(!ids.contains(&"CG507"), "{ids:?}");
    }
}
