//! Changes of the source that repair what was found. A rule names the [`Repair`]; what it changes is worked out only where
//! the finding is new.

mod arguments;
mod buffers;
mod hoist;
mod kept;
mod moved;
mod names;
mod place;
mod region;
mod streams;

pub(crate) use arguments::Argument;

use crate::finding::{Edit, Fix};
use crate::interp::Interp;
use crate::interp::value::CaptureId;
use crate::project::FileId;
use crate::site::Site;

/// A kind of repair, and where.
#[derive(Clone, Debug)]
pub(crate) enum Repair {
    /// Reads a number of the device behind the capture.
    ReadLater(CaptureId, Site),
    /// Does before the capture what the title says.
    DoEarlier(CaptureId, Site, &'static str),
    /// Calls something once before the capture.
    WarmUp(CaptureId, Site),
    /// Runs a collective of the same process group before the capture.
    Communicate(CaptureId, Site),
    /// Makes a constant tensor before the capture.
    MakeEarlier(CaptureId, Site),
    /// Copies from the host before each replay.
    CopyEarlier(CaptureId, Site),
    /// Keeps a number of the host in a tensor, and writes it there before each replay.
    FillEarlier(CaptureId, Site),
    /// Writes into the tensor that a name refers to, made at the second site, in place of rebinding the name.
    Refill(Site, Site),
    /// Keeps a copy of what the expression gives.
    Clone(Site),
    /// Keeps a copy of what the assignment stores.
    CloneStored(Site),
    /// Gives the call an argument.
    Pass(Site, Argument),
    /// Lets the capture mind its own thread only.
    ThreadLocal(CaptureId),
    /// Registers the generator that is drawn from.
    Register(CaptureId, Site),
    /// Makes a stream part of the capture, and joins it.
    Fork(CaptureId, Site),
    /// Joins the streams that these calls made part of the capture.
    Join(CaptureId, Vec<Site>),
    /// Captures on another stream than the default one.
    OwnStream(Site),
    /// Does on a side stream what the statement does on the default one.
    SideStream(Site),
    /// Keeps what a `del` would let go.
    Keep(Site),
    /// Keeps the tensor that was made at the site beside the graph of the capture.
    KeepBeside(CaptureId, Site),
    /// Waits for the device before the statement.
    Wait(Site),
    /// Resets the graph of the capture before the statement.
    Reset(CaptureId, Site),
    /// Lets the graphs of a loop share a pool.
    SharePool(CaptureId),
}

/// What a repair changes.
pub(crate) fn worked_out(interp: &Interp<'_>, repair: Repair) -> Option<Fix> {
    let change = match repair {
        Repair::ReadLater(id, site) => moved::behind(interp, id, site),
        Repair::DoEarlier(id, site, title) => moved::ahead(interp, id, site, title),
        Repair::WarmUp(id, site) => hoist::warm_up(interp, id, site),
        Repair::Communicate(id, site) => hoist::communicate(interp, id, site),
        Repair::MakeEarlier(id, site) => hoist::constant(interp, id, site),
        Repair::CopyEarlier(id, site) => buffers::copy(interp, id, site),
        Repair::FillEarlier(id, site) => buffers::fill(interp, id, site),
        Repair::Refill(site, made) => buffers::refill(interp, site, made),
        Repair::Clone(site) => kept::clone(interp, site),
        Repair::CloneStored(site) => kept::clone_stored(interp, site),
        Repair::Pass(site, argument) => arguments::set(interp, site, argument),
        Repair::ThreadLocal(id) => arguments::thread_local(interp, id),
        Repair::Register(id, site) => hoist::register(interp, id, site),
        Repair::Fork(id, site) => streams::fork(interp, id, site),
        Repair::Join(id, forks) => streams::join_all(interp, id, &forks),
        Repair::OwnStream(site) => streams::own(interp, site),
        Repair::SideStream(site) => streams::side(interp, site),
        Repair::Keep(site) => kept::keep(interp, site),
        Repair::KeepBeside(id, made) => kept::keep_beside(interp, id, made),
        Repair::Wait(site) => kept::wait(interp, site),
        Repair::Reset(id, site) => kept::reset(interp, id, site),
        Repair::SharePool(id) => hoist::pool(interp, id),
    }?;
    Some(Fix {
        title: change.title,
        safe: change.safe,
        file: interp.project.path(change.file).to_owned(),
        edits: change.edits,
    })
}

/// A change of one file.
struct Change {
    title: String,
    safe: bool,
    file: FileId,
    /// In order, none of which touches another.
    edits: Vec<Edit>,
}

/// A change of these edits. `None` if two of them are about the same text.
fn changes(
    file: FileId,
    title: impl Into<String>,
    safe: bool,
    edits: impl IntoIterator<Item = Edit>,
) -> Option<Change> {
    let mut ordered: Vec<Edit> = edits.into_iter().collect();
    // Those at one place stay in their order.
    ordered.sort_by_key(|it| (it.start, it.end));
    let mut edits: Vec<Edit> = Vec::new();
    for edit in ordered {
        match edits.last_mut() {
            Some(last) if edit.start < last.end => return None,
            Some(last) if edit.start == last.end => {
                last.text.push_str(&edit.text);
                last.end = edit.end;
            }
            _ => edits.push(edit),
        }
    }
    Some(Change {
        title: title.into(),
        safe,
        file,
        edits,
    })
}

/// A name that a text does not hold yet.
fn fresh_name(text: &str, name: &str) -> Option<String> {
    (1u32..1_000)
        .map(|number| match number {
            1 => name.to_owned(),
            number => format!("{name}_{number}"),
        })
        .find(|name| !text.contains(name.as_str()))
}
