//! Collectives that take place: messages go out at the first opportunity, and memory is written when all came in.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::data;
use super::mailbox::Letter;
use super::operation::{Collective, Factor, Kind, Plan};
use super::peers::Peers;
use crate::gpu::fault;
use crate::gpu::work::{Exchange, Progress};
use crate::memory;

/// The collectives of one rank that NCCL does as one, as they were enqueued or captured.
#[derive(Debug)]
pub struct Grouped {
    peers: Arc<Peers>,
    collectives: Vec<Collective>,
    is_captured: AtomicBool,
}

impl Grouped {
    /// Some collectives of one communicator.
    pub fn new(peers: Arc<Peers>, collectives: Vec<Collective>) -> Grouped {
        Grouped {
            peers,
            collectives,
            is_captured: AtomicBool::new(false),
        }
    }

    /// It is part of a graph. The communicator cannot be destroyed before the graph.
    pub fn note_captured(&self) {
        if !self.is_captured.swap(true, Ordering::Relaxed) {
            self.peers.note_captured();
        }
    }
}

impl Drop for Grouped {
    fn drop(&mut self) {
        if *self.is_captured.get_mut() {
            self.peers.note_released();
        }
    }
}

impl Exchange for Grouped {
    fn begin(&self) -> Box<dyn Progress> {
        let begin = |collective: &Collective| Running {
            letter: self.turn_of(collective),
            plan: collective.plan(self.peers.rank, self.peers.ranks),
            collective: collective.clone(),
            stage: Stage::Outgoing,
        };
        self.peers.note_begun();
        Box::new(AllRunning {
            peers: Arc::clone(&self.peers),
            running: self.collectives.iter().map(begin).collect(),
        })
    }
}

impl Grouped {
    fn turn_of(&self, collective: &Collective) -> Letter {
        match collective.kind {
            Kind::Send { to } => self.peers.next_send(to),
            Kind::Receive { from } => self.peers.next_receive(from),
            _ => self.peers.next_collective(),
        }
    }
}

/// The collectives of a group while they take place.
#[derive(Debug)]
struct AllRunning {
    peers: Arc<Peers>,
    running: Vec<Running>,
}

impl Drop for AllRunning {
    fn drop(&mut self) {
        self.peers.note_ended();
    }
}

/// A collective while it takes place.
#[derive(Debug)]
struct Running {
    collective: Collective,
    plan: Plan,
    letter: Letter,
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    /// Nothing was sent yet.
    Outgoing,
    /// What came in from each of the ranks that send something.
    Incoming(Vec<Option<Vec<u8>>>),
    Done,
    /// The ranks disagree, so that it never ends.
    Stuck,
}

impl Progress for AllRunning {
    fn advance(&mut self) -> bool {
        if self.peers.is_aborted() || fault::has_happened() {
            return true;
        }
        for running in &mut self.running {
            if let Err(error) = running.advance(&self.peers) {
                cgsan_observe::note(&format!(
                    "a collective cannot go on, since its ranks do not reach each other: {}",
                    cgsan_files::in_words(&error)
                ));
                running.stage = Stage::Stuck;
            }
        }
        let is_done = |running: &Running| matches!(running.stage, Stage::Done);
        self.running.iter().all(is_done)
    }
}

impl Running {
    fn advance(&mut self, peers: &Peers) -> io::Result<()> {
        if let Stage::Outgoing = self.stage {
            if self.send(peers)?.is_none() {
                self.fail();
                return Ok(());
            }
            self.stage = Stage::Incoming(vec![None; self.plan.receives.len()]);
        }
        let Stage::Incoming(parts) = &mut self.stage else {
            return Ok(());
        };
        for (part, from) in parts.iter_mut().zip(&self.plan.receives) {
            if part.is_none() {
                *part = peers.mailbox.receive(self.letter, *from)?;
            }
        }
        if parts.iter().all(Option::is_some) {
            let parts: Vec<Vec<u8>> = std::mem::take(parts).into_iter().flatten().collect();
            self.finish(peers, &parts);
        }
        Ok(())
    }

    /// Sends what others need; `None` if the memory is gone.
    fn send(&self, peers: &Peers) -> io::Result<Option<()>> {
        let envelope = envelope(&self.collective);
        for (receivers, part) in &self.plan.sends {
            let Some(bytes) = self.input(part.start, part.len()) else {
                return Ok(None);
            };
            let parts = [&envelope[..], &bytes[..]];
            peers.mailbox.send(self.letter, receivers, &parts)?;
        }
        Ok(Some(()))
    }

    /// A part of the rank's own input, as it is reduced.
    fn input(&self, start: usize, bytes: usize) -> Option<Vec<u8>> {
        let mut input = memory::read(self.collective.from + start as u64, bytes)?;
        let number = match self.collective.factor() {
            None => return Some(input),
            Some(Factor::Number(number)) => number.clone(),
            Some(Factor::At(address)) => memory::read(*address, self.collective.data.size())?,
        };
        data::scale(self.collective.data, &number, &mut input);
        Some(input)
    }

    /// Writes the output.
    fn finish(&mut self, peers: &Peers, messages: &[Vec<u8>]) {
        let mut parts = Vec::new();
        for (message, from) in messages.iter().zip(&self.plan.receives) {
            let Some(part) = self.accept(peers, *from, message) else {
                self.stage = Stage::Stuck;
                return;
            };
            parts.push((*from, part.to_vec()));
        }
        if let Some(kept) = self.plan.keeps.clone() {
            let Some(kept) = self.input(kept.start, kept.len()) else {
                self.fail();
                return;
            };
            parts.push((peers.rank, kept));
            parts.sort_by_key(|(rank, _)| *rank);
        }
        self.stage = Stage::Done;
        if self.plan.has_output() {
            let parts: Vec<Vec<u8>> = parts.into_iter().map(|(_, part)| part).collect();
            let output = self.collective.output(&parts);
            if memory::write(self.collective.to, &output).is_none() {
                self.fail();
            }
        }
    }

    /// The memory is gone.
    fn fail(&mut self) {
        fault::happened(fault::ILLEGAL_ADDRESS);
        self.stage = Stage::Done;
    }

    /// The part in a message. Where the ranks disagree, it is as measured on two H200s: of two calls of one function, that
    /// with fewer bytes ends, and that with more waits for the rest.
    fn accept<'a>(&self, peers: &Peers, from: usize, message: &'a [u8]) -> Option<&'a [u8]> {
        let (name, terms, part) = open(message)?;
        if terms == self.collective.terms().as_bytes() {
            return Some(part);
        }
        if peers.disagree() {
            let (own, ours) = (peers.rank, self.collective.terms());
            let theirs = String::from_utf8_lossy(terms);
            cgsan_observe::note(&format!(
                "the ranks of a communicator call different collectives, which hang or give undefined results: rank {own} calls \
                 {ours}, and rank {from} {theirs}. Let all ranks call the same ones in the same order"
            ));
        }
        let is_same = name == self.collective.name().as_bytes();
        part.get(..self.collective.part_bytes()).filter(|_| is_same)
    }
}

/// What a message begins with: the name and the terms of its collective, each behind its length.
fn envelope(collective: &Collective) -> Vec<u8> {
    let terms = collective.terms();
    let texts = [collective.name(), &terms];
    let sealed = texts.map(|text| [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat());
    sealed.concat()
}

/// The name and the terms of the collective of a message, and the part that it brings.
fn open(message: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let (name, rest) = text(message)?;
    let (terms, part) = text(rest)?;
    Some((name, terms, part))
}

/// A text behind its length, and what follows it.
fn text(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<8>()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    rest.split_at_checked(length)
}

#[cfg(test)]
mod tests {
    use cgsan_model::Device;

    use super::*;
    use crate::libraries::nccl::data::{DataType, Reduction};
    use crate::libraries::nccl::meeting::UniqueId;
    use crate::libraries::nccl::operation::Operator;

    fn two_ranks() -> [Arc<Peers>; 2] {
        let id = UniqueId::new().unwrap();
        [0, 1].map(|rank| {
            let device = Device(u32::try_from(rank).unwrap());
            Arc::new(Peers::join(id.folder(), rank, 2, device).unwrap())
        })
    }

    fn leave(ranks: [Arc<Peers>; 2]) {
        for rank in ranks {
            rank.leave();
        }
    }

    fn memory_with(bytes: &[u8]) -> u64 {
        let address = memory::allocate_for_module(bytes.len()).unwrap();
        memory::write(address, bytes).unwrap();
        address
    }

    fn all_reduce(address: u64, count: usize) -> Collective {
        Collective {
            kind: Kind::AllReduce(Operator::Plain(Reduction::Sum)),
            data: DataType::Uint8,
            count,
            from: address,
            to: address,
        }
    }

    fn begin(rank: &Arc<Peers>, collective: Collective) -> Box<dyn Progress> {
        Grouped::new(Arc::clone(rank), vec![collective]).begin()
    }

    #[test]
    fn a_collective_ends_when_the_last_rank_has_come() {
        let ranks = two_ranks();
        let at = [[1, 2], [10, 20]].map(|bytes| memory_with(&bytes));
        let mut first = begin(&ranks[0], all_reduce(at[0], 2));
        assert!(!first.advance());
        assert!(begin(&ranks[1], all_reduce(at[1], 2)).advance());
        assert!(first.advance());
        for address in at {
            assert_eq!(memory::read(address, 2).unwrap(), [11, 22]);
        }
        leave(ranks);
    }

    #[test]
    fn an_abort_ends_what_waits() {
        let ranks = two_ranks();
        let mut waiting = begin(&ranks[0], all_reduce(memory_with(&[1]), 1));
        assert!(!waiting.advance());
        ranks[0].abort();
        assert!(waiting.advance());
        leave(ranks);
    }

    #[test]
    fn of_ranks_that_disagree_that_with_fewer_bytes_ends() {
        let ranks = two_ranks();
        let mut more = begin(&ranks[0], all_reduce(memory_with(&[1, 2]), 2));
        assert!(!more.advance());
        assert!(begin(&ranks[1], all_reduce(memory_with(&[1]), 1)).advance());
        assert!(!more.advance());
        leave(ranks);
    }

    #[test]
    fn what_a_graph_holds_is_counted_until_the_graph_is_gone() {
        let ranks = two_ranks();
        let collective = all_reduce(memory_with(&[1]), 1);
        let grouped = Grouped::new(Arc::clone(&ranks[0]), vec![collective]);
        grouped.note_captured();
        grouped.note_captured();
        assert_eq!(ranks[0].captured(), 1);
        drop(grouped);
        assert_eq!(ranks[0].captured(), 0);
        leave(ranks);
    }
}
