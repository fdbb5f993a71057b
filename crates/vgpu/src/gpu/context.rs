//! The primary contexts, and which threads have them.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

use cgsan_model::Device;

use crate::device;

/// The devices whose primary context exists, one bit for each.
static ACTIVE: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// The contexts of the thread. They need no destructor, so that they are there while a thread ends.
    static CONTEXTS: Cell<Contexts> = const { Cell::new(Contexts::NONE) };
}

/// The devices of the contexts that were pushed and not popped; the last one is current.
#[derive(Clone, Copy)]
struct Contexts {
    devices: [Device; Contexts::MOST],
    depth: usize,
}

impl Contexts {
    /// Beneath so many, the oldest is forgotten.
    const MOST: usize = 16;
    const NONE: Contexts = Contexts {
        devices: [Device(0); Contexts::MOST],
        depth: 0,
    };

    fn last(&self) -> Option<Device> {
        self.depth.checked_sub(1).map(|top| self.devices[top])
    }

    fn push(&mut self, device: Device) {
        if self.depth == Contexts::MOST {
            self.devices.rotate_left(1);
            self.depth -= 1;
        }
        self.devices[self.depth] = device;
        self.depth += 1;
    }

    fn pop(&mut self) -> Option<Device> {
        let popped = self.last();
        self.depth = self.depth.saturating_sub(1);
        popped
    }
}

/// The handle of the first device's primary context; those of the others follow it.
const FIRST: u64 = 0x5500_0000_0000;
/// The distance between the handles.
const DISTANCE: u64 = 0x10;

/// The handle of a device's primary context.
pub fn primary(device: Device) -> u64 {
    FIRST + DISTANCE * (u64::from(device.0) + 1)
}

/// The device of a context that was handed out.
pub fn device_of(context: u64) -> Option<Device> {
    (0..device::count())
        .map(Device)
        .find(|device| primary(*device) == context)
}

/// Makes the primary context current to a thread that has none, as every runtime function does that needs one.
#[inline]
pub fn bind() {
    if current().is_none() {
        set_current(Some(Device(0)));
    }
}

/// The device of the calling thread's context, if it has one (`cuCtxGetCurrent`).
#[inline]
pub fn current() -> Option<Device> {
    CONTEXTS.get().last()
}

/// The device that the calling thread's calls are about: that of its context, or the first one (`cudaGetDevice`).
#[inline]
pub fn device() -> Device {
    current().unwrap_or(Device(0))
}

/// Makes the context of a device, or none, current to the calling thread in place of the one that was.
pub fn set_current(device: Option<Device>) {
    pop();
    device.into_iter().for_each(push);
}

/// Makes the context of a device current to the calling thread, until it is popped.
pub fn push(device: Device) {
    activate(device);
    let mut contexts = CONTEXTS.get();
    contexts.push(device);
    CONTEXTS.set(contexts);
}

/// Takes the calling thread's current context away; the one before it is current again.
pub fn pop() -> Option<Device> {
    let mut contexts = CONTEXTS.get();
    let popped = contexts.pop();
    CONTEXTS.set(contexts);
    popped
}

/// Does something with the context of a device current.
pub fn within<T>(device: Device, act: impl FnOnce() -> T) -> T {
    push(device);
    let result = act();
    pop();
    result
}

/// Makes a device's primary context.
pub fn activate(device: Device) {
    ACTIVE.fetch_or(bit(device), Ordering::Relaxed);
}

/// Whether a device's primary context exists (`cuDevicePrimaryCtxGetState`).
pub fn is_active(device: Device) -> bool {
    ACTIVE.load(Ordering::Relaxed) & bit(device) != 0
}

const _: () = assert!(device::MOST <= u64::BITS, "a bit for each device");

fn bit(device: Device) -> u64 {
    1_u64.checked_shl(device.0).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_context_that_was_pushed_covers_the_one_before() {
        set_current(Some(Device(1)));
        push(Device(3));
        assert_eq!(device(), Device(3));
        assert_eq!(pop(), Some(Device(3)));
        assert_eq!(current(), Some(Device(1)));
        set_current(None);
        assert_eq!((current(), device()), (None, Device(0)));
    }
}
