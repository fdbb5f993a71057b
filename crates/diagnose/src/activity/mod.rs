//! What operators, blocks of memory and replays did, in one pass over a trace.
//!
//! | file | what |
//! |---|---|
//! | `operation` | operators, and which tensors they read and write |
//! | `memory` | blocks of the allocator: who owned an address, when |
//! | `collectives` | what the ranks of a process group do together |
//! | `fills` | operators that write without regard to what a tensor holds |
//! | `segments` | which pool and which stream an address belonged to, when |
//! | `order` | which replays are over before what |
//! | `graph` | what a captured graph reads and writes |
//! | `last_writes` | which of a graph's writes to some addresses is the last |
//! | `ranges` | sets of addresses |
//! | `pass` | the pass, which keeps what lies in each block: whose replay or operator wrote it last |
//! | `harm` | what it finds |
//! | `frames` | Python stacks, frame by frame |
//! | `lasting` | memory that a call changes and that outlives it |
//! | `region` | functions that ran eagerly and were captured, call by call |
//! | `inline` | operators that capturing functions call themselves |
//! | `input_copies` | graphs whose inputs are copied before each replay |
//! | `small_graphs` | steps that are many graphs |
//! | `forms` | which operators have the same name, sizes and numbers |
//! | `compare` | what differs between those calls |
//! | `writes` | where eager operators wrote blocks |
//! | `unused` | graphs that are never replayed, though their work goes on |

mod collectives;
mod compare;
mod fills;
mod forms;
mod frames;
mod graph;
mod harm;
mod inline;
mod input_copies;
mod last_writes;
mod lasting;
mod memory;
mod number;
mod operation;
mod order;
mod pass;
mod ranges;
mod region;
mod segments;
mod small_graphs;
mod unused;
mod writes;

pub(crate) use collectives::{Collective, is_host_message};
pub(crate) use compare::{Difference, Kind, frozen};
pub(crate) use fills::fills_with_zeros;
pub(crate) use forms::Forms;
pub(crate) use graph::{Access, Graph};
pub(crate) use harm::{Found, Harm, Place, Race, Reader, Replay, Unordered};
pub(crate) use input_copies::{InputCopies, input_copies};
pub(crate) use memory::{Block, BlockId, Event, Memory};
pub(crate) use number::{Field, Number, field};
pub(crate) use operation::{Does, Operation, tensors};
pub(crate) use region::{regions, running_captures};
pub(crate) use segments::Segments;
pub(crate) use small_graphs::{SmallGraphs, small_graphs};
pub(crate) use unused::{Unused, unused};
pub(crate) use writes::Writes;

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::history::History;

/// What happened besides calls.
#[derive(Debug, Default)]
pub(crate) struct Activity<'t> {
    /// The operators, in the order in which they began.
    pub(crate) operations: Vec<Operation<'t>>,
    pub(crate) memory: Memory,
    /// The graphs, one for each capture of the history.
    pub(crate) graphs: Vec<Graph>,
    pub(crate) replays: Vec<Replay>,
    pub(crate) found: Vec<Found>,
    pub(crate) unordered: Vec<Unordered>,
    /// The blocks that are cuBLAS's workspaces, with the operators that allocated them.
    pub(crate) workspaces: FxHashMap<BlockId, usize>,
    /// Where eager operators wrote blocks.
    pub(crate) written: Writes,
    /// Graphs of which a replay of the one may run while one of the other does.
    pub(crate) concurrent: BTreeSet<(usize, usize)>,
    pub(crate) segments: Segments,
}

impl<'t> Activity<'t> {
    /// Goes through a trace once.
    pub(crate) fn new(history: &History<'t>) -> Activity<'t> {
        pass::run(history)
    }

    /// The first access to the input of a graph that holds an address. Where it is not known whether the graph reads or writes there, it is
    /// an input if nothing but graphs has touched it since: somebody looks at a result.
    pub(crate) fn input_at(&self, graph: usize, address: u64) -> Option<&Access> {
        self.graphs[graph].first_accesses().find(|access| {
            let is_input = || {
                access.does.reads()
                    || access.does.may_read() && !self.is_touched_eagerly_after(access)
            };
            self.memory[access.block].overlaps(address, 1) && is_input()
        })
    }

    fn is_touched_eagerly_after(&self, access: &Access) -> bool {
        let touches = |block: &(BlockId, bool)| block.0 == access.block;
        let mut behind = self.operations[access.operation..].iter();
        behind.any(|it| it.capture.is_none() && it.touched.iter().any(touches) && it.may_work())
    }

    /// The blocks from outside of its capture that a graph reads before it writes them.
    pub(crate) fn inputs_of(&self, graph: usize) -> FxHashSet<BlockId> {
        let first = self.graphs[graph].first_accesses();
        first
            .filter(|access| {
                access.does.reads() && self.memory[access.block].capture != Some(graph)
            })
            .map(|access| access.block)
            .collect()
    }

    /// Whether a graph other than this one has such an access.
    pub(crate) fn others_access(&self, graph: usize, is_such: impl Fn(&Access) -> bool) -> bool {
        let mut others = self.graphs.iter().enumerate();
        others.any(|(other, it)| other != graph && it.accesses.iter().any(&is_such))
    }

    /// The operator and those that called it, innermost first.
    pub(crate) fn callers(&self, operation: usize) -> impl Iterator<Item = &Operation<'t>> {
        std::iter::successors(self.operations.get(operation), |it| {
            self.operations.get(it.parent?)
        })
    }
}
