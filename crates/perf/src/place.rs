//! Where in the program launches come from.

use cgsan_finding::Location;
use cgsan_timeline::{Frame, NameId, Range, ThreadId, Timeline};
use rustc_hash::FxHashMap;

use crate::Place;

/// How many launches are asked for their place.
const ASKED: usize = 400;

/// Of what is asked, so many parts in a hundred have to be in a function for it to be the place.
const MOST: usize = 66;

/// How many functions or ranges are around a launch at most. More are recursion, or no sensible file.
const DEEPEST: usize = 256;

/// A call that launches: in which thread, and when.
pub(crate) type Asked = (ThreadId, u64);

/// The place of launches: the innermost function that makes most of them, or the ranges or operators around them.
pub(crate) fn of(timeline: &Timeline, launches: &[Asked]) -> Place {
    let step = launches.len().div_ceil(ASKED).max(1);
    let asked: Vec<Asked> = launches.iter().copied().step_by(step).collect();
    let frames = timeline.frames.iter().map(of_frame);
    if let Some(name) = innermost(frames, &asked)
        && let Some(location) = location(timeline.names.text(name))
    {
        return Place {
            words: String::new(),
            location: Some(location),
        };
    }
    Place {
        location: None,
        words: words(timeline, &asked),
    }
}

/// The line of a function, as a finding has it.
fn location(name: &str) -> Option<Location> {
    let place = cgsan_timeline::Place::of(name)?;
    Some(Location {
        file: place.file.into(),
        line: place.line,
        span: None,
        cell: None,
        function: place.function.to_owned(),
    })
}

fn of_frame(frame: &Frame) -> Range {
    Range {
        span: frame.span,
        name: frame.name,
        thread: frame.thread,
    }
}

/// The name of the innermost range around most of those launches that have one at all.
fn innermost(ranges: impl Iterator<Item = Range>, asked: &[Asked]) -> Option<NameId> {
    let (around, with_any) = around(ranges, asked);
    let enough = (with_any * MOST).div_ceil(100).max(1);
    let around = around.into_iter();
    let (name, _) = around
        .filter(|(_, it)| it.launches >= enough)
        .min_by_key(|(name, it)| (it.length / it.launches as u64, *name))?;
    Some(name)
}

/// What is around launches by one name.
#[derive(Clone, Copy, Debug, Default)]
struct Around {
    launches: usize,
    /// The sum of the lengths of the innermost range of the name around each launch.
    length: u64,
}

/// For each name, how many launches are in a range of it; and how many are in any. Ranges come by their begin.
fn around(
    ranges: impl Iterator<Item = Range>,
    asked: &[Asked],
) -> (FxHashMap<NameId, Around>, usize) {
    let mut found: FxHashMap<NameId, Around> = FxHashMap::default();
    let mut open: FxHashMap<ThreadId, Vec<Range>> = FxHashMap::default();
    let mut asked: Vec<Asked> = asked.to_vec();
    asked.sort_unstable_by_key(|it| it.1);
    let mut with_any = 0;
    let mut ranges = ranges.peekable();
    for (thread, moment) in asked {
        while let Some(range) = ranges.next_if(|it| it.span.start <= moment) {
            let open = open.entry(range.thread).or_default();
            open.retain(|it| it.span.end > range.span.start);
            if open.len() < DEEPEST {
                open.push(range);
            }
        }
        let holding = open.get(&thread).into_iter().flatten();
        let holding: Vec<&Range> = holding.filter(|it| it.span.holds(moment)).collect();
        with_any += usize::from(!holding.is_empty());
        let mut seen: Vec<NameId> = Vec::new();
        for range in holding.iter().rev() {
            if seen.contains(&range.name) {
                continue;
            }
            seen.push(range.name);
            let around = found.entry(range.name).or_default();
            around.launches += 1;
            around.length = around.length.saturating_add(range.span.length());
        }
    }
    (found, with_any)
}

/// The place in words: a range of the program's around most launches, or the first and the last operator.
fn words(timeline: &Timeline, asked: &[Asked]) -> String {
    let names = &timeline.names;
    let is_named = |it: &&Range| !names.text(it.name).starts_with("ProfilerStep");
    let ranges = timeline.ranges.iter().filter(is_named).copied();
    if let Some(name) = innermost(ranges, asked) {
        return format!("in `{}`", short(names.text(name)));
    }
    let operator = |asked: Option<&Asked>| {
        let (thread, moment) = *asked?;
        let before = timeline
            .operators
            .partition_point(|it| it.span.start <= moment);
        // Outermost operators of a thread do not overlap; those of other threads may lie in between.
        let near = timeline.operators[before.saturating_sub(64)..before].iter();
        let found = near
            .filter(|it| it.thread == thread && it.span.holds(moment))
            .min_by_key(|it| it.span.start)?;
        Some(short(names.text(found.name)))
    };
    match (operator(asked.first()), operator(asked.last())) {
        (Some(first), Some(last)) if first != last => format!("from `{first}` to `{last}`"),
        (Some(one), _) | (None, Some(one)) => format!("in `{one}`"),
        (None, None) => String::new(),
    }
}

/// A name that fits into a sentence.
pub(crate) fn short(name: &str) -> String {
    const LONGEST: usize = 48;
    match name.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use cgsan_timeline::Span;

    use super::*;

    fn range(name: NameId, start: u64, length: u64) -> Range {
        Range {
            span: Span::new(start, length),
            name,
            thread: ThreadId(0),
        }
    }

    #[test]
    fn the_innermost_function_of_most_launches_is_the_place() {
        let mut names = cgsan_timeline::Names::default();
        let [main, step, layer] = ["main", "step", "layer"].map(|it| names.id(it));
        let ranges = [
            range(main, 0, 100),
            range(step, 10, 50),
            range(layer, 12, 3),
            range(layer, 20, 3),
        ];
        let asked: Vec<Asked> = [13, 21, 30, 40, 50].map(|at| (ThreadId(0), at)).to_vec();
        assert_eq!(innermost(ranges.into_iter(), &asked), Some(step));
        assert_eq!(innermost(ranges.into_iter(), &asked[..2]), Some(layer));
        let other = [(ThreadId(1), 13)];
        assert_eq!(innermost(ranges.into_iter(), &other), None);
    }

    #[test]
    fn long_names_are_cut_off() {
        assert_eq!(short("aten::mm"), "aten::mm");
        assert_eq!(short(&"ä".repeat(60)).chars().count(), 49);
    }
}
