//! The picture of one process: the captures, above the pools, above what the colours mean.

use std::fmt::{self, Write as _};
use std::ops::Range;

use cgsan_finding::{GraphMemory, Location, MemoryTimeline, MemoryUse, numbers};
use maud::{Markup, html};

use super::kept::Kept;
use super::layers::{Layer, layers};
use super::scale::{self, WIDTH};
use super::spans::{Narrow, Span, spans};
use crate::svg::{EDGE, line};
use crate::{Options, path, text};

/// Where the plot is; above it are the heading and the captures.
const LEFT: usize = 92;
const RIGHT: usize = WIDTH - 40;
const TOP: usize = 92;
const BOTTOM: usize = TOP + 330;
/// The row of the captures.
const CAPTURES: Range<usize> = TOP - 26..TOP - 6;
/// Where the rows of the legend begin, and how far apart they are.
const LEGEND: usize = BOTTOM + 72;
const ROW: usize = 22;
/// How wide a column of text is.
const COLUMN: usize = 7;
/// How many columns a line has, and a text that is shown when one points at something.
const COLUMNS: usize = 140;
const POINTED_AT: usize = 300;
/// How many columns the heading has, whose letters are wider.
const HEADING: usize = 100;
/// How high a line of text is, in tenths of a unit.
const TEXT: u64 = 240;
/// How many labels the axis of time has.
const TIMES: usize = 6;
/// How many lines of the program are named for a pool.
const LINES: usize = 2;

/// The picture of one process.
pub(super) struct Panel<'a> {
    one: &'a MemoryUse,
    name: String,
    options: &'a Options,
    kept: Kept,
    layers: Vec<Layer>,
    spans: Vec<Span>,
    /// How many captures are not drawn.
    left_out: usize,
    /// The most that was reserved, as far as anybody knows.
    peak: u64,
}

/// A coordinate, in tenths of a unit.
#[derive(Clone, Copy, PartialEq)]
struct At(u64);

impl fmt::Display for At {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 % 10 {
            0 => write!(to, "{}", self.0 / 10),
            tenth => write!(to, "{}.{tenth}", self.0 / 10),
        }
    }
}

impl<'a> Panel<'a> {
    pub(super) fn new(one: &'a MemoryUse, name: String, options: &'a Options) -> Panel<'a> {
        let timeline = &one.timeline;
        let kept = Kept::of(timeline);
        let layers = layers(timeline, &kept);
        // What is narrower than 3 units, and closer to the next than 1.
        let steps = |units: usize| units * timeline.steps.len() / (RIGHT - LEFT);
        let narrow = Narrow {
            width: steps(3),
            gap: steps(1),
        };
        let (spans, left_out) = spans(timeline, &narrow);
        Panel {
            one,
            name,
            options,
            peak: timeline.reserved_peak.max(kept.most_of_all.reserved),
            kept,
            layers,
            spans,
            left_out,
        }
    }

    /// How high it is.
    pub(super) fn height(&self) -> usize {
        LEGEND + ROW * (self.layers.len() + usize::from(self.left_out > 0))
    }

    /// What it shows, for those who do not see it.
    pub(super) fn described(&self) -> String {
        let layers = self.layers.iter().map(|it| self.legend(it));
        let layers: Vec<String> = layers.collect();
        let all = format!("{}: {}. {}.", self.name, self.sums(), layers.join(". "));
        line(&all, 10 * POINTED_AT)
    }

    pub(super) fn markup(&self) -> Markup {
        html! {
            text.heading x=(EDGE) y="16" { (line(&format!("Memory in PyTorch's allocator: {}", self.name), HEADING)) }
            text x=(EDGE) y="38" { (line(&self.sums(), COLUMNS)) }
            (self.grid())
            // The highest layer first: each covers what is below it.
            @for (class, shape, told) in self.areas().into_iter().rev() {
                path class=(class) d=(shape) { title { (told) } }
            }
            (self.captures())
            (self.peaks())
            (self.colors())
        }
    }

    fn timeline(&self) -> &'a MemoryTimeline {
        &self.one.timeline
    }

    /// The sums over the whole time.
    fn sums(&self) -> String {
        let captures = text::count(self.timeline().captures.len(), "capture");
        let reserved = scale::size(self.peak);
        let held = scale::size(self.kept.most_of_all.held);
        format!("{captures}; at most {reserved} were reserved, and {held} held by the program")
    }

    /// Where a step begins.
    fn x(&self, step: usize) -> At {
        let steps = self.timeline().steps.len().max(1);
        At((LEFT * 10 + step.min(steps) * (RIGHT - LEFT) * 10 / steps) as u64)
    }

    /// How high a size is. Above the highest one there is room for its name.
    fn y(&self, bytes: u64) -> At {
        let highest = u128::from(self.peak.max(1)) * 11 / 10;
        let height = (BOTTOM - TOP) as u128 * 10;
        let up = u128::from(bytes.min(self.peak)) * height / highest.max(1);
        At(BOTTOM as u64 * 10 - u64::try_from(up).unwrap_or_default())
    }

    /// Sizes to the left, times below, and lines between.
    fn grid(&self) -> Markup {
        let steps = &self.timeline().steps;
        let last = steps.len().saturating_sub(1);
        let length = steps.last().copied().unwrap_or_default();
        let mut marks: Vec<usize> = (0..TIMES).map(|it| it * last / (TIMES - 1)).collect();
        marks.dedup();
        let times: Vec<u64> = marks
            .iter()
            .filter_map(|it| steps.get(*it).copied())
            .collect();
        let times = scale::times(&times, length);
        html! {
            @for bytes in scale::sizes_up_to(self.peak) {
                line.grid x1=(LEFT) x2=(RIGHT) y1=(self.y(bytes)) y2=(self.y(bytes)) {}
                text.size x=(LEFT - 8) y=(self.y(bytes)) dy="4" { (scale::size(bytes)) }
            }
            @for (step, time) in marks.iter().zip(times) {
                line.tick x1=(self.x(*step)) x2=(self.x(*step)) y1=(BOTTOM) y2=(BOTTOM + 5) {}
                text.time x=(self.x(*step)) y=(BOTTOM + 20) { (time) }
            }
            text.remark x=(LEFT) y=(BOTTOM + 40) {
                "Each allocation, free and capture takes the same width; the times say when it was. Reserved memory is known where PyTorch was asked."
            }
        }
    }

    /// The layers from the lowest to the highest, each with all that is below it: what is held of each pool, and above that what
    /// each has beside it. With their classes, shapes, and what they are.
    fn areas(&self) -> Vec<(String, String, String)> {
        let mut tops = vec![0_u64; self.kept.steps.len()];
        let mut areas = Vec::new();
        for is_held in [true, false] {
            for layer in &self.layers {
                for (top, sums) in tops.iter_mut().zip(&layer.course) {
                    let own = if is_held {
                        sums.held
                    } else {
                        sums.reserved.saturating_sub(sums.held)
                    };
                    *top = top.saturating_add(own);
                }
                let (class, told) = if is_held {
                    (format!("held{}", layer.color), "held")
                } else {
                    (format!("free{}", layer.color), "reserved, and not held")
                };
                let told = format!("{}: {told}", self.legend(layer));
                areas.push((class, self.area(&tops), line(&told, POINTED_AT)));
            }
        }
        areas
    }

    /// All between the lowest line and these heights at the steps that are kept.
    fn area(&self, tops: &[u64]) -> String {
        let bottom = At(BOTTOM as u64 * 10);
        let mut shape = format!("M{LEFT} {bottom}");
        let mut last = bottom;
        for (step, top) in self.kept.steps.iter().zip(tops) {
            let y = self.y(*top);
            if y != last {
                let _ = write!(shape, "H{}V{y}", self.x(*step));
                last = y;
            }
        }
        let _ = write!(shape, "H{RIGHT}V{bottom}Z");
        shape
    }

    fn captures(&self) -> Markup {
        let height = CAPTURES.len();
        html! {
            @for span in &self.spans {
                @let (left, width) = self.extent(span);
                g {
                    title { (line(&self.told_of(span), POINTED_AT)) }
                    rect.during x=(left) y=(TOP) width=(width) height=(BOTTOM - TOP) {}
                    rect.capture x=(left) y=(CAPTURES.start) width=(width) height=(height) rx="3" {}
                    @if let Some(label) = self.label(span, width) {
                        text.inside x=(At(left.0 + width.0 / 2)) y=(CAPTURES.end - 6) { (label) }
                    }
                }
            }
        }
    }

    /// Where a part of the width begins, and how wide it is: wide enough to be seen.
    fn extent(&self, span: &Span) -> (At, At) {
        const LEAST: u64 = 20;
        let (left, right) = (self.x(span.begins), self.x(span.ends + 1));
        (left, At((right.0 - left.0).max(LEAST)))
    }

    /// As much of what a span is as there is room for.
    fn label(&self, span: &Span, width: At) -> Option<String> {
        let room = (usize::try_from(width.0).unwrap_or_default() / 10).saturating_sub(8) / COLUMN;
        let (what, number) = (self.captures_of(span), self.number_of(span));
        let graph = self.graph_of(span.captures.start);
        let location = graph.and_then(|it| it.location.as_ref());
        let names = [
            location.map(|it| format!("{what} at {}", self.place(it))),
            location.map(|it| format!("{what} at {}", it.short())),
            location.map(|it| format!("{number}: {}", it.short())),
            Some(what),
            Some(number),
        ];
        let mut names = names.into_iter().flatten().map(|it| line(&it, POINTED_AT));
        names.find(|it| text::width(it) <= room)
    }

    fn number_of(&self, span: &Span) -> String {
        let number = |place: usize| self.timeline().captures[place].graph;
        let (first, last) = (number(span.captures.start), number(span.captures.end - 1));
        if first == last {
            first.to_string()
        } else {
            format!("{first}–{last}")
        }
    }

    fn captures_of(&self, span: &Span) -> String {
        let noun = if span.captures.len() == 1 {
            "capture"
        } else {
            "captures"
        };
        format!("{noun} {}", self.number_of(span))
    }

    /// What a span is, in a sentence.
    fn told_of(&self, span: &Span) -> String {
        let what = self.captures_of(span);
        let at = self.place_of_capture(span.captures.start);
        let at = at.map_or_else(String::new, |it| format!(" at {it}"));
        match self.graph_of(span.captures.start) {
            Some(graph) if span.captures.len() == 1 => {
                let ended = if graph.captured {
                    text::count(
                        usize::try_from(graph.replays).unwrap_or(usize::MAX),
                        "replay",
                    )
                } else {
                    "failed".to_owned()
                };
                format!(
                    "{what}{at}: held {} at most; {ended}",
                    scale::size(graph.peak)
                )
            }
            _ => format!("{what}{at}"),
        }
    }

    fn place_of_capture(&self, place: usize) -> Option<String> {
        let location = self.graph_of(place)?.location.as_ref()?;
        Some(self.place(location))
    }

    /// The graph of a capture, by its place among the timeline's.
    fn graph_of(&self, place: usize) -> Option<&'a GraphMemory> {
        let number = self.timeline().captures.get(place)?.graph;
        self.one.graphs.get(number.checked_sub(1)?)
    }

    fn place(&self, location: &Location) -> String {
        let file = path::shorten(&location.file_name(), self.options.directory.as_deref());
        format!("{file}:{}", location.line)
    }

    /// The line of the most that was reserved, and the point at which the most was held.
    fn peaks(&self) -> Markup {
        let most = self.timeline().most_held.as_ref();
        let point = most.map(|it| (self.x(it.step), self.y(it.bytes)));
        let middle = (LEFT + RIGHT) as u64 * 5;
        let is_right = point.is_some_and(|(x, _)| x.0 > middle);
        // The two names are on different sides.
        let (side, aside) = if is_right {
            ("ends", -9)
        } else {
            ("starts", 9)
        };
        let (x_of_line, class_of_line) = if is_right {
            (LEFT + 6, "starts")
        } else {
            (RIGHT - 6, "ends")
        };
        let held = most.map(|it| {
            let what = format!("most held: {}", scale::size(it.bytes));
            let places = it.location.iter();
            let places = places.flat_map(|it| [self.place(it), it.short()]);
            let mut named = places.map(|place| format!("{what} at {place}"));
            let fits = named.find(|it| text::width(it) <= COLUMNS / 2);
            line(&fits.unwrap_or(what), COLUMNS / 2)
        });
        // Where the point is close to the line, its name is below it.
        let is_close = point.is_some_and(|(_, y)| y.0 < self.y(self.peak).0 + TEXT);
        let below = if is_close { 17 } else { -7 };
        html! {
            line.peak x1=(LEFT) x2=(RIGHT) y1=(self.y(self.peak)) y2=(self.y(self.peak)) {}
            text class=(class_of_line) x=(x_of_line) y=(self.y(self.peak)) dy="-7" { "most reserved: " (scale::size(self.peak)) }
            @if let (Some((x, y)), Some(held)) = (point, held) {
                circle.most cx=(x) cy=(y) r="4.5" {}
                text class={ "above " (side) } x=(x) y=(y) dx=(aside) dy=(below) { (held) }
            }
        }
    }

    /// What the colours mean, one row for each layer.
    fn colors(&self) -> Markup {
        let row = |place: usize| LEGEND + place * ROW;
        html! {
            text.remark x=(LEFT) y=(row(0) - 12) { "strong: held by the program; pale: reserved, and not held" }
            @for (place, layer) in self.layers.iter().enumerate() {
                rect class={ "held" (layer.color) } x=(LEFT) y=(row(place)) width="14" height="14" {}
                rect class={ "free" (layer.color) } x=(LEFT + 14) y=(row(place)) width="14" height="14" {}
                text x=(LEFT + 38) y=(row(place) + 12) { (line(&self.legend(layer), COLUMNS)) }
            }
            @if self.left_out > 0 {
                text.remark x=(LEFT) y=(row(self.layers.len()) + 12) {
                    "not drawn: " (text::count(self.left_out, "later capture"))
                }
            }
        }
    }

    /// What a layer is, and the most of it.
    fn legend(&self, layer: &Layer) -> String {
        let most = format!(
            "at most {} reserved, {} held",
            scale::size(layer.most.reserved),
            scale::size(layer.most.held)
        );
        let pools = &self.timeline().pools;
        match layer.pools.as_slice() {
            _ if layer.is_rest() => {
                format!(
                    "{}, together {most}",
                    text::count(layer.pools.len(), "other pool")
                )
            }
            [pool] if pools[*pool] != (0, 0) => {
                let (one, two) = pools[*pool];
                format!(
                    "pool ({one}, {two}){}: {most}",
                    self.captured_into(pools[*pool])
                )
            }
            _ => format!("eager work: {most}"),
        }
    }

    /// Which captures allocate from a pool, and where they are.
    fn captured_into(&self, pool: (u64, u64)) -> String {
        let graphs = self.one.graphs.iter();
        let graphs: Vec<_> = graphs.filter(|it| it.pool == Some(pool)).collect();
        let of: Vec<u32> = graphs
            .iter()
            .filter_map(|it| u32::try_from(it.graph).ok())
            .collect();
        let (Some(first), Some(last)) = (of.first(), of.last()) else {
            return String::new();
        };
        let which = if of.len() > 12 && (last - first) as usize >= of.len() {
            format!("{} of the captures {first} to {last}", of.len())
        } else if of.len() == 1 {
            format!("capture {first}")
        } else {
            format!("captures {}", numbers(&of))
        };
        let mut places: Vec<String> = Vec::new();
        for location in graphs.iter().filter_map(|it| it.location.as_ref()) {
            let place = self.place(location);
            if !places.contains(&place) {
                places.push(place);
            }
        }
        let more = places.len().saturating_sub(LINES);
        places.truncate(LINES);
        if more > 0 {
            places.push(text::count(more, "more line"));
        }
        if places.is_empty() {
            return format!(", {which}");
        }
        format!(", {which} at {}", places.join(", "))
    }
}
