//! The page: what is said in words, and the picture.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::data::data;
use super::grid::Grid;
use super::late::{Across, Waited, across, median, waited_for};
use super::ranks::{Fleet, SPENT_ON};
use crate::html::policy;
use crate::text;

const STYLE: &str = concat!(
    include_str!("../html/assets/page.css"),
    include_str!("assets/fleet.css")
);
const SCRIPT: &str = concat!(
    include_str!("assets/view.js"),
    include_str!("assets/fleet.js")
);

/// Rows of a table.
const LISTED: usize = 20;

/// What times are spent on, in words.
const WORDS: [&str; SPENT_ON.len()] = [
    "work of the host",
    "waits for the GPU",
    "copies that wait",
    "collectives",
    "launches of graphs",
];

/// The whole page.
pub(super) fn document(fleet: &Fleet) -> String {
    let steps = across(fleet);
    let waited = waited_for(&steps, fleet.ranks.len());
    let latest: Vec<usize> = waited.iter().map(|it| it.rank).collect();
    let grid = Grid::of(fleet, &steps, &latest);
    let title = title(fleet, &grid);
    let document = html! {
        (DOCTYPE)
        html lang="en" {
            (policy::head(&title, STYLE, SCRIPT))
            body {
                a.skip href="#late" { "Skip the picture" }
                header {
                    h1 { (title) }
                    p { (conclusion(fleet, &waited)) }
                }
                main {
                    (picture(fleet, &grid))
                    (late(fleet, &waited))
                    (longest(fleet, steps))
                    (spent(fleet))
                }
                footer { "This file needs no network and sends nothing." }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    document.into_string() + "\n"
}

fn title(fleet: &Fleet, grid: &Grid) -> String {
    let with_steps = fleet.ranks.iter().filter(|it| !it.steps.is_empty());
    let last = grid.columns.last().copied().unwrap_or_default();
    format!(
        "{}, steps up to {last}",
        text::count(with_steps.count(), "rank")
    )
}

/// Who was waited for most, in a sentence.
fn conclusion(fleet: &Fleet, waited: &[Waited]) -> String {
    match waited.first() {
        Some(first) => format!(
            "The others waited longest for {}: it was the last in {}, by {} in all.",
            name(fleet, first.rank),
            text::count(first.steps, "step"),
            duration(first.late_by)
        ),
        None if fleet.ranks.iter().all(|it| it.steps.is_empty()) => {
            "No steps were recorded: no graph was replayed, and no collective was called."
                .to_owned()
        }
        None => "No step has three ranks, so that none can be said to be late.".to_owned(),
    }
}

fn picture(fleet: &Fleet, grid: &Grid) -> Markup {
    let left_out = fleet.ranks.len() - grid.rows.len();
    html! {
        section #picture aria-labelledby="picture-title" {
            h2 #picture-title { "What each rank waited for" }
            p {
                "Ranks are rows, steps are columns. A step begins at a replay of the graph that the rank replays most often, or at a collective "
                "if it replays none. The time until a call returns counts for what the call waits for."
            }
            div #fleet hidden {}
            noscript { p { "The picture needs scripts, which are part of this file. What follows says the same in tables." } }
            @if left_out > 0 { p { "Without a row here: " (text::count(left_out, "rank")) "." } }
            script #fleet-data type="application/json" { (PreEscaped(data(fleet, grid))) }
        }
    }
}

/// Who was waited for.
fn late(fleet: &Fleet, waited: &[Waited]) -> Markup {
    html! {
        section #late aria-labelledby="late-title" {
            h2 #late-title { "Who the others waited for" }
            p {
                "Ranks meet at their collectives, and all take as long as the last one. The last one of a step is the rank that did most work of its own in it; "
                "it is late by what it did more than the median of all ranks."
            }
            @if waited.is_empty() { p { "Nobody." } } @else {
                (table(&["Rank", "Host", "Last in", "Late by, in all", "Worst step", "Findings"], waited.iter().take(LISTED).map(|it| {
                    let rank = &fleet.ranks[it.rank];
                    vec![rank.name.clone(), rank.host.clone(), text::count(it.steps, "step"), duration(it.late_by), it.worst.to_string(), rank.findings.join(", ")]
                })))
                @if waited.len() > LISTED { p { "And " (text::count(waited.len() - LISTED, "other rank")) "." } }
            }
        }
    }
}

/// The steps that took longest, by the median of the ranks.
fn longest(fleet: &Fleet, mut steps: Vec<Across>) -> Markup {
    let usual = median(steps.iter().map(|it| it.lasted));
    steps.sort_by(|one, other| other.lasted.total_cmp(&one.lasted));
    html! {
        section #longest aria-labelledby="longest-title" {
            h2 #longest-title { "Steps that took longest" }
            p { "The median of all steps is " (duration(usual)) "." }
            (table(&["Step", "Median of the ranks", "Times the usual", "Last", "Late by"], steps.iter().take(LISTED).map(|it| {
                let times = it.lasted / usual.max(1.0);
                vec![it.step.to_string(), duration(it.lasted), format!("{times:.1}"), name(fleet, it.last), duration(it.late_by)]
            })))
        }
    }
}

/// How often each was what a step spent most of its time on, and where.
fn spent(fleet: &Fleet) -> Markup {
    let mut steps = [0_usize; SPENT_ON.len()];
    let mut times = [0.0_f64; SPENT_ON.len()];
    let mut open = 0_usize;
    for step in fleet.ranks.iter().flat_map(|it| &it.steps) {
        let on = usize::from(step.spent_on).min(SPENT_ON.len() - 1);
        steps[on] += 1;
        times[on] += f64::from(step.spent);
        open += usize::from(!step.is_over);
    }
    html! {
        section #spent aria-labelledby="spent-title" {
            h2 #spent-title { "What steps spent most of their time on" }
            (table(&["On", "Steps of a rank", "Time"], (0..SPENT_ON.len()).map(|on| {
                #[expect(clippy::cast_possible_truncation, reason = "a time to be shown")]
                let time = times[on] as f32;
                vec![WORDS[on].to_owned(), steps[on].to_string(), duration(time)]
            })))
            @if open > 0 { p { "Not seen to end: " (text::count(open, "step")) ", each the last of its rank, or before some that were counted and not recorded." } }
        }
    }
}

fn table(names: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Markup {
    html! {
        div.wide {
            table {
                thead { tr { @for name in names { th scope="col" { (name) } } } }
                tbody {
                    @for row in rows {
                        tr {
                            @for (column, cell) in row.iter().enumerate() {
                                @if column == 0 { th scope="row" { (text::printable(cell)) } } @else { td { (text::printable(cell)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn name(fleet: &Fleet, rank: usize) -> String {
    let rank = &fleet.ranks[rank];
    if rank.host.is_empty() {
        return text::printable(&rank.name);
    }
    text::printable(&format!("{} ({})", rank.name, rank.host))
}

/// A time in words, with three digits.
fn duration(nanoseconds: f32) -> String {
    let (number, unit) = match nanoseconds {
        it if it < 1e3 => (it, "ns"),
        it if it < 1e6 => (it / 1e3, "µs"),
        it if it < 1e9 => (it / 1e6, "ms"),
        it => (it / 1e9, "s"),
    };
    match number {
        it if it < 10.0 => format!("{it:.2} {unit}"),
        it if it < 100.0 => format!("{it:.1} {unit}"),
        it => format!("{it:.0} {unit}"),
    }
}
