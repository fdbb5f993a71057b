//! The table `processes`: one row for each process.

use std::path::Path;

use cgsan_trace::{Ending, Trace};

use crate::cells::{Cell, Clock, OWNER, Owner, integer, maybe, number, text, time, truth};
use crate::column::Column;
use crate::sheet::Sheet;

pub(crate) fn columns() -> Vec<Column> {
    let own = [
        text("trace", "the path of its trace"),
        integer("local_rank", "its number among the ranks on its machine"),
        integer("world_size", "how many ranks the job has"),
        text("command", "its command line, in one text"),
        text("directory", "its working directory"),
        time("started", "when it began to be recorded, to the second"),
        text("python", "the version of CPython"),
        text("torch", "the version of PyTorch"),
        text("device", "the device that served it"),
        truth("virtual_gpu", "whether that is the virtual GPU"),
        text(
            "ending",
            "how its trace ends: `orderly`, `cut off` (it was killed), `stopped` (recording did), `damaged`",
        ),
        integer("events", "how many rows it has in `events`"),
        integer("captures", "how many rows it has in `captures`"),
    ];
    OWNER.into_iter().chain(own).collect()
}

/// Adds the process of a trace that lies at `path`, with so many events and captures.
pub(crate) fn write(
    sheet: &mut Sheet,
    owner: &Owner<'_>,
    path: &Path,
    trace: &Trace,
    events: usize,
    captures: usize,
) {
    let info = trace.process();
    let path = path.to_string_lossy();
    let command = info.arguments.join(" ");
    let ending = match trace.ending() {
        Ending::Orderly => "orderly",
        Ending::CutOff => "cut off",
        Ending::Stopped => "stopped",
        Ending::Damaged { .. } => "damaged",
    };
    sheet.row(
        &owner.cells(),
        [
            Cell::Text(&path),
            maybe(owner.process.local_rank, number),
            maybe(owner.process.world_size, number),
            Cell::Text(&command),
            Cell::Text(&info.directory),
            Clock::of(trace).started(),
            Cell::Text(&info.python),
            Cell::Text(&info.torch),
            Cell::Text(&info.device),
            Cell::Truth(info.virtual_gpu),
            Cell::Text(ending),
            number(events),
            number(captures),
        ],
    );
}
