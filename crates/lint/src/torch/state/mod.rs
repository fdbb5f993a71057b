//! What is known of PyTorch while a program is followed: its tensors, streams, captures and backward passes, its process
//! groups, and the threads beside a capture.

mod backward;
pub(crate) mod capture;
pub(crate) mod contexts;
pub(crate) mod destroyed;
pub(crate) mod event;
mod flow;
pub(crate) mod groups;
pub(crate) mod hooks;
pub(crate) mod join;
pub(crate) mod layout;
mod library;
pub(crate) mod modules;
mod numbers;
pub(crate) mod object;
mod operations;
pub(crate) mod order;
pub(crate) mod pools;
mod results;
mod streams;
pub(crate) mod switches;
pub(crate) mod tensor;
pub(crate) mod threads;

use capture::{Capture, CaptureId};
use groups::Groups;
use streams::Streams;
use switches::Switches;
use tensor::Device;
use threads::Threads;

use super::Heap;
use crate::project::FileId;
use crate::site::Site;

pub(crate) use flow::Flow;

/// What is known of the program as a whole.
#[derive(Debug)]
pub(crate) struct State<'p> {
    pub(crate) captures: Vec<Capture<'p>>,
    pub(crate) groups: Groups,
    pub(crate) threads: Threads<'p>,
    pub(crate) streams: Streams,
    switches: Switches,
    /// Whether captured code has changed a number that outlives the capture.
    numbers_changed: bool,
    /// How many replays there were.
    pub(crate) replays: u32,
    /// How often the host has waited for the device, or may have.
    host_waits: u32,
    /// The function that PyTorch graphed last, by the call.
    pub(crate) graphed_function: Option<Site>,
    /// Whether the program turns gradients of parameters off under unknown conditions.
    pub(crate) freezes_some: bool,
    /// What backward passes run of the program.
    backward_nodes: Vec<backward::Node<'p>>,
}

impl State<'_> {
    /// That of a program that begins with a file.
    fn new(heap: &mut Heap<'_>, file: FileId) -> Self {
        Self {
            captures: Vec::new(),
            groups: Groups::default(),
            threads: Threads::default(),
            streams: Streams::new(heap, file),
            switches: Switches::default(),
            numbers_changed: false,
            replays: 0,
            host_waits: 0,
            graphed_function: None,
            freezes_some: false,
            backward_nodes: Vec::new(),
        }
    }
}

/// What is noted of a function while it is followed.
#[derive(Debug, Default)]
pub(crate) struct Noted {
    /// Graphs captured since it was entered.
    pub(crate) graphs: Vec<CaptureId>,
}

/// What is known of an object beside its fields.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct About {
    /// Of an `nn.Module`, where its parameters are.
    pub(crate) device: Device,
}
