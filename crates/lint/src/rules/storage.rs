//! CG203 where a tensor gets other memory, while names refer to it as before.

use super::inputs::{REBOUND, SAME_MEMORY};
use super::judge::Judge;
use crate::draft::{Draft, Rule, says};
use crate::site::Site;
use crate::torch::state::capture::CaptureId;
use crate::torch::state::tensor::{Swap, Swapped};

/// A graph is replayed.
pub(super) fn replays(judge: &mut Judge<'_, '_>, capture: CaptureId) {
    let is_later = |it: &Swapped| it.captures > capture.0;
    let inputs = &judge.library.captures[capture.0].inputs;
    let swapped: Vec<_> = inputs
        .iter()
        .filter_map(|(input, read)| {
            let swapped = judge.heap.tensor(*input)?.swapped;
            Some((swapped.filter(is_later)?, *read))
        })
        .collect();
    for (swapped, read) in swapped {
        judge.report(draft(&REBOUND, swapped, read));
    }
}

fn draft(rule: &'static Rule, swapped: Swapped, read: Site) -> Draft {
    Draft::new(
        rule,
        swapped.at,
        "the graph still reads the memory that is replaced here",
    )
    .label(read, "the graph reads it here")
    .note(SAME_MEMORY)
    .help(help(swapped.how))
}

fn help(how: Swap) -> String {
    match how {
        Swap::Data => says::cg203::keep_memory("tensor"),
        Swap::Parameter => says::cg203::write_into("parameter"),
        Swap::Loaded => "leave out `assign=True`: then the values are copied".to_owned(),
        Swap::Moved => {
            "move and cast modules before the capture, or capture anew afterwards".to_owned()
        }
        Swap::Vector => "copy each part into its parameter: `parameter.data.copy_(...)`".to_owned(),
    }
}
