//! CUPTI: NVIDIA's interface for profilers, loaded at run time.
#![expect(unsafe_code, reason = "calls functions of NVIDIA's libraries")]

pub mod abi;
mod find;
mod step_aside;

use std::ffi::{CStr, c_void};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

pub use find::{look_in, may_be_there};

use abi::Callback;

/// The oldest version that is used: that of CUDA 12.4. The numbers and parameters of functions were only ever added to,
/// so a newer CUPTI than the one that this was written for is no obstacle.
const OLDEST: u32 = 22;

/// The oldest version that is left and entered again while the program runs: that of CUDA 13.0, for which it was tried. Of
/// those before CUDA 12.6, PyTorch says that graphs crash after it (`torch/profiler/profiler.py`).
const OLDEST_TO_LEAVE: u32 = 130_000;

/// Why CUPTI cannot be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Error {
    #[error(
        "CUPTI was not found: it comes with CUDA, and with PyTorch unless that was installed without its dependencies"
    )]
    Missing,
    #[error("CUPTI lacks {0}")]
    Incomplete(&'static str),
    #[error("CUPTI is of version {0}, older than that of CUDA 12.4")]
    TooOld(u32),
    #[error("another tool is watching the program through CUPTI; leave out the profiler")]
    OtherSubscriber,
    #[error("CUPTI refused ({0})")]
    Refused(i32),
}

/// CUPTI.
#[derive(Debug)]
pub struct Cupti {
    callback: Callback,
    version: u32,
    /// Null while not subscribed.
    subscriber: AtomicPtr<c_void>,
    subscribe: abi::Subscribe,
    enable_callback: abi::EnableCallback,
    get_device_id: abi::GetDeviceId,
    unsubscribe: abi::Unsubscribe,
    finalize: abi::Finalize,
}

impl Cupti {
    /// Finds CUPTI, which will call `callback`.
    pub fn load(callback: Callback) -> Result<Cupti, Error> {
        let library = find::open().ok_or(Error::Missing)?;
        // SAFETY: each name is that of the function whose type is asked for (`cupti_version.h`, `cupti_callbacks.h`).
        let (get_version, mut cupti) = unsafe {
            (
                symbol::<abi::GetVersion>(library, c"cuptiGetVersion")?,
                Cupti {
                    callback,
                    version: 0,
                    subscriber: AtomicPtr::default(),
                    subscribe: symbol(library, c"cuptiSubscribe")?,
                    enable_callback: symbol(library, c"cuptiEnableCallback")?,
                    get_device_id: symbol(library, c"cuptiGetDeviceId")?,
                    unsubscribe: symbol(library, c"cuptiUnsubscribe")?,
                    finalize: symbol(library, c"cuptiFinalize")?,
                },
            )
        };
        // SAFETY: the function writes a number.
        check(unsafe { get_version(&raw mut cupti.version) })?;
        if cupti.version < OLDEST {
            return Err(Error::TooOld(cupti.version));
        }
        Ok(cupti)
    }

    /// Subscribes, for no function yet.
    pub fn subscribe(&self) -> Result<(), Error> {
        let mut subscriber = ptr::null_mut();
        // SAFETY: the callback is a function of this library, which is never unloaded.
        check(unsafe { (self.subscribe)(&raw mut subscriber, self.callback, ptr::null_mut()) })?;
        self.subscriber.store(subscriber, Ordering::Release);
        Ok(())
    }

    /// Whether it can be taken out of the process and brought back while the program runs.
    pub fn can_be_left(&self) -> bool {
        self.version >= OLDEST_TO_LEAVE
    }

    /// Takes it out of the process. Call it at the end of a call that it tells of, when no longer subscribed.
    pub fn finalize(&self) {
        // SAFETY: the function may be called at any time, and is best called there (CUPTI's documentation, "Dynamic Attach
        // and Detach").
        unsafe { (self.finalize)() };
    }

    /// Has CUPTI tell of a driver function, or no longer. One at a time. A function that this CUPTI does not know is
    /// none that the program can call.
    pub fn enable(&self, function: u32, on: bool) {
        let subscriber = self.subscriber.load(Ordering::Acquire);
        // SAFETY: the subscriber is subscribed, and the caller calls this from one thread at a time.
        unsafe { (self.enable_callback)(on.into(), subscriber, abi::DRIVER_API, function) };
    }

    /// The device of a context.
    pub fn device_of(&self, context: *mut c_void) -> Option<u32> {
        let mut device = 0;
        // SAFETY: the context is one that CUPTI named; the function writes a number.
        let result = unsafe { (self.get_device_id)(context, &raw mut device) };
        (result == abi::SUCCESS).then_some(device)
    }

    /// Ends the subscription.
    pub fn unsubscribe(&self) {
        let subscriber = self.subscriber.swap(ptr::null_mut(), Ordering::AcqRel);
        if !subscriber.is_null() {
            // SAFETY: the subscriber is subscribed, and nobody else has it.
            unsafe { (self.unsubscribe)(subscriber) };
        }
    }
}

fn check(result: abi::CuptiResult) -> Result<(), Error> {
    match result {
        abi::SUCCESS => Ok(()),
        abi::MULTIPLE_SUBSCRIBERS | abi::MAX_LIMIT_REACHED => Err(Error::OtherSubscriber),
        other => Err(Error::Refused(other)),
    }
}

/// A function of CUPTI's own.
///
/// # Safety
///
/// `F` is the type of the function pointer that `name` stands for.
unsafe fn own<F: Copy>(name: &'static CStr) -> Option<F> {
    // SAFETY: by the contract of this function.
    unsafe { symbol(find::open()?, name) }.ok()
}

/// # Safety
///
/// `F` is the type of the function pointer that `name` stands for in `library`.
unsafe fn symbol<F: Copy>(library: *mut c_void, name: &'static CStr) -> Result<F, Error> {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    // SAFETY: the library is open and the name ends in a zero byte.
    let address = unsafe { libc::dlsym(library, name.as_ptr()) };
    if address.is_null() {
        return Err(Error::Incomplete(name.to_str().unwrap_or_default()));
    }
    // SAFETY: by the contract of this function; the sizes are equal.
    Ok(unsafe { std::mem::transmute_copy(&address) })
}
