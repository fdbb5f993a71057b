//! What rules note on the way, to be asked for when a replay, a hook or the end of a thread comes to it.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use super::control_flow::Frozen;
use super::counters::Counters;
use super::first_uses::Ways;
use super::graphed_order::Backward;
use super::held_numbers::Held;
use super::host_numbers::HostNumber;
use super::inputs::LetGo;
use super::kept_back::KeptBack;
use super::libraries::Libraries;
use super::places::Place;
use super::pool_order::Overwritten;
use super::streams::LeftOut;
use crate::draft::Report;
use crate::interp::value::{CellId, LoopId};
use crate::site::Site;
use crate::torch::state::capture::CaptureId;

/// What the rules have noted.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// What is to be said of captures, should a later turn of a loop replay them.
    pub(crate) frozen: Vec<Frozen>,
    /// Numbers that captured code read where the program may change them.
    pub(crate) held: Vec<Held>,
    /// Names that keep aside what another place has, with that place.
    pub(crate) aside: Vec<(Place, Place)>,
    /// Numbers in tensors on the host that captured code read.
    pub(crate) host_numbers: Vec<HostNumber>,
    /// Inputs of graphs that names no longer refer to.
    pub(crate) let_go: Vec<LetGo>,
    /// What is to be said of captures whose inputs were freed with the function that captured.
    pub(crate) freed: Vec<(CaptureId, Report)>,
    /// Captures whose outputs a turn of a loop kept, and where.
    pub(crate) kept: Vec<(CaptureId, LoopId, Site)>,
    /// The same of what a turn of a loop gave to other threads, and how often the program had waited for something of theirs.
    pub(crate) handed: Vec<(CaptureId, LoopId, Site, u32)>,
    /// How often the program waited for something that other threads do.
    pub(crate) meetings: u32,
    /// Outputs of graphs of which was said that replays overwrite them.
    pub(crate) told_outputs: BTreeSet<CellId>,
    /// Outputs of graphs that replays of others have overwritten.
    pub(crate) overwritten: Vec<Overwritten>,
    /// The last backward of each graphed callable.
    pub(crate) backwards: Vec<Backward>,
    /// Where callables were graphed of which was said that their order is another one.
    pub(crate) told_callables: FxHashSet<Site>,
    /// Gradients that a captured backward wrote.
    pub(crate) gradients: Vec<CellId>,
    /// Parameters of graphed callables, and where these were graphed.
    pub(crate) graphed_parameters: Vec<(CellId, Site)>,
    /// The choices around what is followed, each in the first turn of a loop.
    pub(crate) ways: Vec<Ways>,
    /// Loops over loaders whose thread pins memory.
    pub(crate) pinning_loops: Vec<(LoopId, Site)>,
    /// Tensors that `record_stream` was called on in captures, and where.
    pub(crate) recorded: Vec<(CaptureId, CellId, Site)>,
    /// Where the first of these was let go, by the capture.
    pub(crate) released: BTreeMap<CaptureId, Site>,
    /// Large tensors from before captures that were let go in them.
    pub(crate) kept_back: Vec<KeptBack>,
    /// The numbers that captured code counts, and what reads them.
    pub(super) counters: Counters,
    /// Where numbers are kept that captures change themselves.
    pub(crate) assigned: BTreeMap<CaptureId, Vec<Place>>,
    /// Work on streams that are no part of a capture.
    pub(crate) left_out: Vec<LeftOut>,
    /// Where graphs are captured that threads or streams may run at once.
    pub(crate) at_once: FxHashSet<Site>,
    /// Where PyTorch refuses to graph something.
    pub(crate) refused_callables: FxHashSet<Site>,
    /// What graphed callables gave that have no graph for the backward pass, and where these were graphed.
    pub(crate) without_backward: Vec<(CellId, Site)>,
    /// Graphed modules that ran themselves, and what is to be said if none of their calls is a replay.
    pub(crate) eager: Vec<(CellId, Report)>,
    /// Graphed callables that were replayed.
    pub(crate) replayed: FxHashSet<CellId>,
    /// Replays of graphs that have nothing to replay, where the same line never replays them with something.
    pub(crate) empty_replays: Vec<(CellId, Site, Option<Report>)>,
    /// The containers that the program has emptied.
    pub(crate) emptied: BTreeSet<CellId>,
    /// What the program has done with libraries.
    pub(crate) libraries: Libraries,
}
