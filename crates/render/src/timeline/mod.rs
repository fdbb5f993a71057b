//! Who held memory when, as a picture: SVG with a style for light and dark, and without scripts.
//!
//! | file | what |
//! |---|---|
//! | `layers` | which pools are drawn, and what each held at the steps that are kept |
//! | `kept` | the steps that are kept of very many: those at which something was highest or lowest |
//! | `spans` | the captures as parts of the width; of very many, neighbours as one |
//! | `panel` | the picture of one process |
//! | `scale` | sizes and times, and where the lines of the grid are |
//! | `style.css` | colours |
//!
//! `maud` escapes all texts and attributes; control characters, which XML cannot hold, are shown as signs before.

mod kept;
mod layers;
mod panel;
mod scale;
mod spans;

use cgsan_finding::{MemoryUse, Process};
use maud::{Markup, PreEscaped, html};

use crate::svg::EDGE;
use crate::{Options, text};
use panel::Panel;
use scale::WIDTH;

/// How many processes are drawn.
const PROCESSES: usize = 8;

const STYLE: &str = include_str!("style.css");

/// What the pools of each process held over time, as an SVG document.
pub fn memory_timeline(uses: &[MemoryUse], options: &Options) -> String {
    text::shown_plain(&picture(uses, options, Some(STYLE)).into_string()) + "\n"
}

/// The same as a part of a page that has the style.
pub(crate) fn drawing(uses: &[MemoryUse], options: &Options) -> Markup {
    picture(uses, options, None)
}

fn picture(uses: &[MemoryUse], options: &Options, style: Option<&str>) -> Markup {
    let panels: Vec<Panel<'_>> = uses
        .iter()
        .take(PROCESSES)
        .map(|one| Panel::new(one, name(one, options), options))
        .collect();
    let mut top = EDGE;
    let mut places = Vec::new();
    for panel in &panels {
        places.push(top);
        top += panel.height() + EDGE;
    }
    let remark = remark(uses.len());
    let height = top + if remark.is_some() { 2 * EDGE } else { 0 };
    let described: Vec<String> = panels.iter().map(Panel::described).collect();
    let described = described.into_iter().chain(remark.clone());
    html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (WIDTH) " " (height) } width=(WIDTH) height=(height)
            role="img" aria-labelledby="timeline-title timeline-description" {
            title id="timeline-title" { "Memory of PyTorch's allocator over time" }
            desc id="timeline-description" { (described.collect::<Vec<String>>().join(" ")) }
            @if let Some(style) = style { style { (PreEscaped(style)) } }
            rect.paper width="100%" height="100%" {}
            @for (panel, top) in panels.iter().zip(places) {
                g transform={ "translate(0 " (top) ")" } { (panel.markup()) }
            }
            @if let Some(remark) = remark {
                text x=(EDGE) y=(top + EDGE / 2) { (remark) }
            }
        }
    }
}

/// What the picture does not show.
fn remark(processes: usize) -> Option<String> {
    match processes {
        0 => Some(
            "There is no memory to show: PyTorch's allocator is asked from the first capture on."
                .to_owned(),
        ),
        1..=PROCESSES => None,
        _ => Some(match processes - PROCESSES {
            1 => "Not shown: 1 more process.".to_owned(),
            more => format!("Not shown: {more} more processes."),
        }),
    }
}

/// What the heading calls the process.
fn name(one: &MemoryUse, options: &Options) -> String {
    let whose = Process::names(std::slice::from_ref(&one.process));
    if options.several_processes {
        whose
    } else {
        let program = one.process.command.iter().take(1);
        let program = program.map(|it| it.rsplit('/').next().unwrap_or_default());
        let arguments = one.process.command.iter().skip(1).map(String::as_str);
        program.chain(arguments).collect::<Vec<&str>>().join(" ")
    }
}
