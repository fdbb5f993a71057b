//! Groups: what is called in one happens when it ends.

use std::cell::RefCell;
use std::mem;
use std::sync::Arc;

use super::exchange::Grouped;
use super::operation::Collective;
use super::peers::Peers;
use super::{INVALID_USAGE, NCCL, alone, refused};
use crate::ffi::Out;
use crate::gpu::{self, StreamHandle, context};
use crate::libraries::export::{Status, export};

/// What a thread's open group holds.
#[derive(Default)]
struct Group {
    depth: usize,
    waits: Vec<Wait>,
    collectives: Vec<Together>,
}

/// Waiting for other ranks, some of which may be this thread's.
type Wait = Box<dyn FnOnce() -> Result<(), Status>>;

/// The collectives of one communicator on one stream.
struct Together {
    peers: Arc<Peers>,
    stream: StreamHandle,
    collectives: Vec<Collective>,
}

thread_local! {
    static GROUP: RefCell<Group> = RefCell::default();
}

export! { NCCL;
    fn ncclGroupStart() {
        GROUP.with_borrow_mut(|group| group.depth += 1);
        Ok(())
    }

    fn ncclGroupEnd() {
        leave()?;
        end_if_outside()
    }

    fn ncclGroupSimulateEnd(_info: Out<u8>) {
        leave()?;
        GROUP.with_borrow_mut(|group| {
            group.waits.clear();
            group.collectives.clear();
        });
        Ok(())
    }
}

/// Waits for other ranks, in a group when that ends.
pub fn when_it_ends(wait: impl FnOnce() -> Result<(), Status> + 'static) -> Result<(), Status> {
    GROUP.with_borrow_mut(|group| group.waits.push(Box::new(wait)));
    end_if_outside()
}

/// Enqueues a collective, in a group when that ends.
pub fn add(peers: Arc<Peers>, stream: StreamHandle, collective: Collective) -> Result<(), Status> {
    GROUP.with_borrow_mut(|group| {
        let mut together = group.collectives.iter_mut();
        let same = |it: &&mut Together| Arc::ptr_eq(&it.peers, &peers) && it.stream == stream;
        match together.find(same) {
            Some(together) => together.collectives.push(collective),
            None => group.collectives.push(Together {
                peers,
                stream,
                collectives: vec![collective],
            }),
        }
    });
    end_if_outside()
}

fn leave() -> Result<(), Status> {
    GROUP.with_borrow_mut(|group| {
        group.depth = group.depth.checked_sub(1).ok_or(INVALID_USAGE)?;
        Ok(())
    })
}

/// Does what was called, unless a group is open.
fn end_if_outside() -> Result<(), Status> {
    let (waits, collectives) = GROUP.with_borrow_mut(|group| {
        if group.depth > 0 {
            return (Vec::new(), Vec::new());
        }
        (
            mem::take(&mut group.waits),
            mem::take(&mut group.collectives),
        )
    });
    for wait in waits {
        wait()?;
    }
    for together in collectives {
        // A default stream is that of the communicator's device, whichever is current.
        context::within(together.peers.device, || enqueue(together))?;
    }
    Ok(())
}

fn enqueue(together: Together) -> Result<(), Status> {
    let Together {
        peers,
        stream,
        collectives,
    } = together;
    if peers.ranks == 1 {
        return alone::enqueue(stream, &collectives);
    }
    let Some(kernel) = collectives.first().map(Collective::kernel) else {
        return Ok(());
    };
    let grouped = Arc::new(Grouped::new(peers, collectives));
    let captured = gpu::exchange(stream, kernel, Arc::<Grouped>::clone(&grouped));
    if captured.map_err(refused)?.is_some() {
        grouped.note_captured();
    }
    Ok(())
}
