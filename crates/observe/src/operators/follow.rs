//! Who computes what operators do: on the virtual GPU, somebody must.
#![expect(
    unsafe_code,
    reason = "hands out values of an operator that is running"
)]

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use super::abi::{self, Running};
use super::given::{Given, Object, Reader};
use super::layout::Layout;
use crate::memory::Trusted;

/// What is called when operators begin and end, in the thread that calls them.
pub struct Follower {
    /// Called with an operator that begins.
    pub begins: fn(&Call<'_>),
    /// Called with one that ends.
    pub ends: fn(&Call<'_>),
    /// Whether the calling thread computes: what it calls meanwhile is not the program's, and is not recorded.
    pub computes: fn() -> bool,
}

static FOLLOWER: OnceLock<Follower> = OnceLock::new();

/// How many verifications are running, whose operators are followed and not recorded.
static UNRECORDED: AtomicU32 = AtomicU32::new(0);

/// Has each operator followed from now on. Whether that is possible: operators must be known, and each function that it takes be there.
pub fn follow(follower: Follower) -> bool {
    super::are_known() && abi::hands_over() && FOLLOWER.set(follower).is_ok()
}

/// Has operators recorded no longer, or again.
pub fn leave_unrecorded(leave: bool) {
    if leave {
        UNRECORDED.fetch_add(1, Ordering::Relaxed);
    } else {
        let _ =
            UNRECORDED.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |it| it.checked_sub(1));
    }
}

pub(super) fn are_unrecorded() -> bool {
    UNRECORDED.load(Ordering::Relaxed) > 0
        || FOLLOWER.get().is_some_and(|follower| (follower.computes)())
}

pub(super) fn is_followed() -> bool {
    FOLLOWER.get().is_some()
}

pub(super) fn begins(call: &Call<'_>) {
    if let Some(follower) = FOLLOWER.get() {
        (follower.begins)(call);
    }
}

pub(super) fn ends(call: &Call<'_>) {
    if let Some(follower) = FOLLOWER.get() {
        (follower.ends)(call);
    }
}

/// An operator at its beginning or its end.
pub struct Call<'a> {
    pub(super) operator: Running,
    pub(super) layout: &'a Layout,
    pub(super) memory: &'a Trusted,
}

impl Call<'_> {
    /// What names it until it ends.
    pub fn address(&self) -> usize {
        self.operator.address()
    }

    /// What names the operator in each of its calls, with its name; `None` for what is no operator.
    pub fn key(&self) -> Option<(usize, &'static [u8])> {
        let name = self.operator.name()?;
        Some((name.as_ptr() as usize, name.to_bytes()))
    }

    /// Its name and that of its overload.
    pub fn full_name(&self) -> Option<(String, String)> {
        self.operator.full_name()
    }

    /// What it is given; only at its beginning. `enter` gives the calling thread the interpreter where that is needed.
    pub fn arguments(&self, enter: &dyn Fn() -> bool) -> Vec<Given> {
        self.reader(enter).arguments(self.operator)
    }

    /// What it gives back; only at its end. `enter` as above.
    pub fn results(&self, enter: &dyn Fn() -> bool) -> Vec<Given> {
        self.reader(enter).results(self.operator)
    }

    /// The tensors among them as objects of Python's, and none for each other result; of lists, the elements. Only in a thread that
    /// has the interpreter.
    pub fn result_objects(&self) -> Vec<Option<Object>> {
        let places = self.reader(&|| false).result_places(self.operator);
        // SAFETY: tensors of an operator that is running lie there; the caller has the interpreter.
        let object = |at: Option<usize>| unsafe { abi::object(at?) }.map(Object::new);
        places.into_iter().map(object).collect()
    }

    fn reader<'b>(&'b self, enter: &'b dyn Fn() -> bool) -> Reader<'b, Trusted> {
        Reader {
            layout: self.layout,
            memory: self.memory,
            enter,
        }
    }
}
