//! A rank's place among the ranks of a communicator.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;

use cgsan_model::Device;

use super::mailbox::{Letter, Mailbox, PAUSE};
use super::{INVALID_USAGE, SYSTEM_ERROR, last_error};
use crate::device;
use crate::libraries::export::Status;

/// A rank of a communicator: what its collectives need, also those that are not done when the program lets go of it.
#[derive(Debug)]
pub struct Peers {
    pub mailbox: Mailbox,
    pub rank: usize,
    pub ranks: usize,
    pub device: Device,
    /// How many collectives, sends to each rank, receives from each, and divisions had their turn.
    collectives: AtomicU64,
    sent: Box<[AtomicU64]>,
    received: Box<[AtomicU64]>,
    divisions: AtomicU64,
    /// How many began and are not done.
    running: AtomicUsize,
    /// Whether the program gave up what is not done.
    aborted: AtomicBool,
    /// Whether a disagreement was found.
    disagreed: AtomicBool,
    /// How many captured collectives there are, in graphs and executable graphs.
    captured: AtomicUsize,
}

/// The names under which ranks publish.
const JOINED: &str = "joined";
const LEFT: &str = "left";

impl Peers {
    /// A rank that joins others in a folder, on a device.
    ///
    /// # Errors
    ///
    /// When the folder cannot be written, as on another machine.
    pub fn join(
        folder: PathBuf,
        rank: usize,
        ranks: usize,
        device: Device,
    ) -> Result<Peers, Status> {
        let counters = || (0..ranks).map(|_| AtomicU64::new(0)).collect();
        let peers = Peers {
            mailbox: Mailbox::new(folder, rank),
            rank,
            ranks,
            device,
            collectives: AtomicU64::new(0),
            sent: counters(),
            received: counters(),
            divisions: AtomicU64::new(0),
            running: AtomicUsize::new(0),
            aborted: AtomicBool::new(false),
            disagreed: AtomicBool::new(false),
            captured: AtomicUsize::new(0),
        };
        let card = device::bus_id(device::card(device));
        let published = peers.mailbox.publish(JOINED, card.as_bytes());
        published.map_err(|error| unreachable_peers(&error))?;
        Ok(peers)
    }

    /// Waits until all ranks have joined. Each needs a device of its own.
    pub fn meet(&self) -> Result<(), Status> {
        let cards = self.collect(JOINED)?;
        let own = &cards[self.rank];
        let mut others = (0..self.ranks).filter(|rank| *rank != self.rank);
        let Some(twin) = others.find(|rank| &cards[*rank] == own) else {
            return Ok(());
        };
        let (rank, card) = (self.rank, String::from_utf8_lossy(own));
        last_error::set(&format!(
            "Duplicate GPU detected : rank {rank} and rank {twin} both on CUDA device {card}"
        ));
        Err(INVALID_USAGE)
    }

    /// What all ranks publish under a name.
    pub fn collect(&self, name: &str) -> Result<Vec<Vec<u8>>, Status> {
        let _waiting = cgsan_observe::waiting("ncclCommInitRank");
        let published = self.mailbox.collect(name, self.ranks);
        published.map_err(|error| unreachable_peers(&error))
    }

    /// The number of a division of the ranks, which is the same on all of them.
    pub fn next_division(&self) -> u64 {
        self.divisions.fetch_add(1, Ordering::Relaxed)
    }

    /// The turn of a collective that begins now.
    pub fn next_collective(&self) -> Letter {
        Letter::Collective(self.collectives.fetch_add(1, Ordering::Relaxed))
    }

    /// The turn of a send that begins now.
    pub fn next_send(&self, to: usize) -> Letter {
        Letter::Transfer(self.sent[to].fetch_add(1, Ordering::Relaxed))
    }

    /// The turn of a receive that begins now.
    pub fn next_receive(&self, from: usize) -> Letter {
        Letter::Transfer(self.received[from].fetch_add(1, Ordering::Relaxed))
    }

    /// Some collectives begin, on a stream of their own pace.
    pub fn note_begun(&self) {
        self.running.fetch_add(1, Ordering::AcqRel);
    }

    /// They are done, or given up.
    pub fn note_ended(&self) {
        self.running.fetch_sub(1, Ordering::AcqRel);
    }

    /// Waits until all that began is done.
    pub fn wait(&self) {
        let _waiting = cgsan_observe::waiting("ncclCommFinalize");
        while self.running.load(Ordering::Acquire) > 0 {
            thread::sleep(PAUSE);
        }
    }

    /// Gives up what is not done.
    pub fn abort(&self) {
        self.aborted.store(true, Ordering::Relaxed);
    }

    /// Whether that was given up.
    pub fn is_aborted(&self) -> bool {
        self.aborted.load(Ordering::Relaxed)
    }

    /// The ranks were found to disagree; whether that is new.
    pub fn disagree(&self) -> bool {
        !self.disagreed.swap(true, Ordering::Relaxed)
    }

    /// A collective was captured.
    pub fn note_captured(&self) {
        self.captured.fetch_add(1, Ordering::Relaxed);
    }

    /// The last graph with a captured collective is gone.
    pub fn note_released(&self) {
        self.captured.fetch_sub(1, Ordering::Relaxed);
    }

    /// How many captured collectives there are.
    pub fn captured(&self) -> usize {
        self.captured.load(Ordering::Relaxed)
    }

    /// The rank is gone; the last one clears up.
    pub fn leave(&self) {
        // What cannot be cleared up goes with the folder of the run.
        let _ = self.mailbox.publish(LEFT, &[]);
        self.mailbox.remove_if_published(LEFT, self.ranks);
    }
}

fn unreachable_peers(error: &io::Error) -> Status {
    last_error::set(&format!(
        "the folder in which the ranks of virtual GPUs meet cannot be used: {}; check that TMPDIR has room and stays as long as the run",
        cgsan_files::in_words(error)
    ));
    SYSTEM_ERROR
}
