//! User objects: what a program wants released when no graph needs it any longer.
//!
//! References that a graph takes are kept until the program takes them back: a graph's end does not return them, so that
//! an object which a graph took lives as long as the program. PyTorch keeps alive by them what captured collectives use.

use std::collections::BTreeMap;
use std::ffi::{c_uint, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError};

use cgsan_model::Code;

use crate::ffi::{Out, entry};
use crate::gpu::handle;
use crate::gpu::work::{HostCode, HostFunction};

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
        _this, _graph: u64, object: u64, count: c_uint, flags: c_uint,
    ) {
        if flags == MOVE { retain(object, 0) } else { retain(object, count) }
    }

    /// Takes references from a graph.
    fn cudaGraphReleaseUserObject, cuGraphReleaseUserObject(_this, _graph: u64, object: u64, count: c_uint) {
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
