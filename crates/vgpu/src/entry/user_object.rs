//! User objects: what a program wants released when no graph needs it any longer.
//!
//! What a graph holds, its copies and executable graphs hold too, from when they are made (CUDA C++ Programming Guide, "CUDA
//! User Objects"). They give their references back when they end; while work is enqueued, which may use the objects, they never
//! do. PyTorch keeps alive by them what captured collectives use.

use std::collections::BTreeMap;
use std::ffi::{c_uint, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError};

use cgsan_model::Code;

use crate::ffi::{Out, entry};
use crate::gpu::work::{HostCode, HostFunction};
use crate::gpu::{handle, schedule};

entry! {
    /// Makes an object with some references, whose function is called when there are none left.
    fn cudaUserObjectCreate, cuUserObjectCreate(
        _this, out: Out<u64>, data: *mut c_void, function: Option<HostCode>, references: c_uint,
        flags: c_uint,
    ) {
        let function = function.filter(|_| references > 0 && flags == NO_DESTRUCTOR_SYNC);
        let function = function.ok_or(Code::INVALID_VALUE)?;
        let object = handle::fresh();
        out.put(object)?;
        // SAFETY: the API documents the two to belong together.
        let end = unsafe { HostFunction::new(function, data) };
        objects().insert(object, Object { end, references });
        Ok(())
    }

    /// Adds references.
    fn cudaUserObjectRetain, cuUserObjectRetain(_this, object: u64, count: c_uint) {
        retain(object, count)
    }

    /// Gives references back, and ends the object with the last.
    fn cudaUserObjectRelease, cuUserObjectRelease(_this, object: u64, count: c_uint) {
        release(object, count)
    }

    /// Gives references to a graph: the program's own, or new ones.
    fn cudaGraphRetainUserObject, cuGraphRetainUserObject(
        _this, graph: u64, object: u64, count: c_uint, flags: c_uint,
    ) {
        if flags == MOVE { retain(object, 0)? } else { retain(object, count)? }
        hold(graph, object, count);
        Ok(())
    }

    /// Takes references from a graph.
    fn cudaGraphReleaseUserObject, cuGraphReleaseUserObject(_this, graph: u64, object: u64, count: c_uint) {
        let held = held_by(graph).get(&object).copied().unwrap_or(0);
        let left = held.checked_sub(count).ok_or(Code::INVALID_VALUE)?;
        holders().entry(graph).or_default().insert(object, left);
        release(object, count)
    }
}

/// `cudaUserObjectNoDestructorSync`, which every object must have.
const NO_DESTRUCTOR_SYNC: c_uint = 1;
/// `cudaGraphUserObjectMove`.
const MOVE: c_uint = 1;

/// An object that is alive.
struct Object {
    end: HostFunction,
    references: c_uint,
}

static OBJECTS: Mutex<BTreeMap<u64, Object>> = Mutex::new(BTreeMap::new());

/// A panic of an earlier holder left the map usable: every change is a single one.
fn objects() -> MutexGuard<'static, BTreeMap<u64, Object>> {
    OBJECTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The references that graphs and executable graphs hold: by their handles, then by object.
static HOLDERS: Mutex<BTreeMap<u64, Held>> = Mutex::new(BTreeMap::new());

type Held = BTreeMap<u64, c_uint>;

fn holders() -> MutexGuard<'static, BTreeMap<u64, Held>> {
    HOLDERS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn held_by(holder: u64) -> Held {
    holders().get(&holder).cloned().unwrap_or_default()
}

fn hold(holder: u64, object: u64, count: c_uint) {
    let mut holders = holders();
    let held = holders
        .entry(holder)
        .or_default()
        .entry(object)
        .or_default();
    *held = held.saturating_add(count);
}

/// A graph or an executable graph is made from a graph, or a graph is put inside another: it holds what that one holds.
pub(super) fn share(graph: u64, with: u64) {
    for (object, count) in held_by(graph) {
        if retain(object, count).is_ok() {
            hold(with, object, count);
        }
    }
}

/// An executable graph is updated from a graph: it holds what that one holds, and no longer what it held.
pub(super) fn share_anew(graph: u64, with: u64) {
    let before = holders().remove(&with);
    share(graph, with);
    give_back(before);
}

/// A graph or an executable graph has ended.
pub(super) fn ended(holder: u64) {
    let held = holders().remove(&holder);
    give_back(held);
}

fn give_back(held: Option<Held>) {
    if !schedule::is_immediate() {
        return;
    }
    for (object, count) in held.into_iter().flatten() {
        // An object that the program has released too often is gone.
        let _ = release(object, count);
    }
}

fn retain(object: u64, count: c_uint) -> Result<(), Code> {
    let mut objects = objects();
    let object = objects.get_mut(&object).ok_or(Code::INVALID_VALUE)?;
    let references = object.references.checked_add(count);
    object.references = references.ok_or(Code::INVALID_VALUE)?;
    Ok(())
}

fn release(object: u64, count: c_uint) -> Result<(), Code> {
    let mut objects = objects();
    let known = objects.get_mut(&object).ok_or(Code::INVALID_VALUE)?;
    let references = known.references.checked_sub(count);
    known.references = references.ok_or(Code::INVALID_VALUE)?;
    if known.references > 0 {
        return Ok(());
    }
    let ended = objects.remove(&object);
    // The function is the program's own and may come back here.
    drop(objects);
    if let Some(Object { end, .. }) = ended {
        end.call();
    }
    Ok(())
}
