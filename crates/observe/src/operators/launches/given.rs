//! What a kernel is given at its launch, where its parameters are known.
#![expect(unsafe_code, reason = "reads what the API promises of its parameters")]

use std::ffi::{CStr, c_char, c_uint, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

use super::{Launch, Parameter, Use, begins, is_taken, uses};
use crate::sealed::is_sealed;

/// What is known of a kernel.
#[derive(Clone, Debug)]
pub struct Known {
    /// Its name.
    pub name: Arc<CStr>,
    /// Its parameters, where they are known.
    pub parameters: Option<Arc<[Parameter]>>,
}

/// The parameters of a launch: pointers to each, or a buffer with all of them.
#[derive(Clone, Copy, Debug)]
pub struct Given {
    /// As many as the kernel has parameters, or null.
    pub arguments: *mut *mut c_void,
    /// Where the buffer is and its size, behind the numbers that say so, or null.
    pub extra: *mut *mut c_void,
}

/// `CU_LAUNCH_PARAM_BUFFER_POINTER`, `CU_LAUNCH_PARAM_BUFFER_SIZE`.
const BUFFER: usize = 1;
const BUFFER_SIZE: usize = 2;
/// The most bytes that all parameters of a kernel may have.
const MOST: usize = 32_764;

/// What is told of launches in a child that runs a region again: the kernel's name, its grid and blocks, and what it is given.
type Follower = unsafe extern "C" fn(*const c_char, *const [[c_uint; 3]; 2], *const Use, usize);

static FOLLOWER: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

/// In a child that runs a region again: has the agent told of launches by a function.
///
/// # Safety
///
/// It is null, or a function of the agent's for that, which lives as long as the process.
pub unsafe fn follow(follower: *mut c_void) {
    FOLLOWER.store(follower, Ordering::SeqCst);
}

impl Given {
    /// Parameters that are given one by one.
    pub fn one_by_one(arguments: *mut *mut c_void) -> Given {
        let extra = std::ptr::null_mut();
        Given { arguments, extra }
    }

    /// Launches a kernel, and has that recorded if nobody else does.
    ///
    /// # Safety
    ///
    /// This is what a C caller passed to the launch, and the parameters of `known` are the kernel's.
    #[inline]
    pub unsafe fn launched<R>(
        self,
        known: impl FnOnce() -> Option<Known>,
        shape: [[u32; 3]; 2],
        launch: impl FnOnce() -> R,
    ) -> R {
        if is_sealed() {
            // SAFETY: by the contract of this function.
            unsafe { self.tell(known, &shape) };
            return launch();
        }
        let recorded = is_taken()
            // SAFETY: as above.
            .then(|| unsafe { self.recorded(&known()?, shape) })
            .flatten();
        let result = launch();
        if let Some(recorded) = recorded {
            recorded.ends();
        }
        result
    }

    #[cold]
    unsafe fn recorded(self, known: &Known, shape: [[u32; 3]; 2]) -> Option<Launch> {
        let parameters = known.parameters.as_deref()?;
        // SAFETY: by the contract of `launched`.
        let given = unsafe { self.bytes(parameters) }?;
        Some(begins(&known.name, parameters, &given, shape))
    }

    /// In a child that runs a region again: tells the agent of a launch.
    ///
    /// # Safety
    ///
    /// As for [`launched`](Given::launched).
    pub unsafe fn tell(self, known: impl FnOnce() -> Option<Known>, shape: &[[u32; 3]; 2]) {
        let follower = FOLLOWER.load(Ordering::SeqCst);
        if follower.is_null() {
            return;
        }
        let Some(known) = known() else { return };
        let parameters = known.parameters.as_deref().unwrap_or_default();
        // SAFETY: by the contract of this function.
        let given = unsafe { self.bytes(parameters) }.unwrap_or_default();
        let uses = uses(parameters, &given);
        // SAFETY: by the contract of `follow`, it is a function of this type.
        let tell = unsafe { std::mem::transmute::<*mut c_void, Follower>(follower) };
        // SAFETY: all that it is handed lives until it returns.
        unsafe { tell(known.name.as_ptr(), shape, uses.as_ptr(), uses.len()) }
    }

    /// The bytes of all parameters, each at its offset; `None` where they are not given.
    unsafe fn bytes(self, parameters: &[Parameter]) -> Option<Vec<u8>> {
        let end = parameters.last().map_or(0, |it| it.offset + it.bytes);
        let mut bytes = vec![0; Some(end).filter(|end| *end <= MOST)?];
        if self.arguments.is_null() {
            // SAFETY: by the contract of `launched`.
            let buffer = unsafe { self.buffer() }?;
            let both = bytes.len().min(buffer.len());
            bytes[..both].copy_from_slice(&buffer[..both]);
            return Some(bytes);
        }
        for (place, it) in parameters.iter().enumerate() {
            // SAFETY: by the promise of the API there is a pointer for each parameter.
            let from = unsafe { self.arguments.add(place).read() }.cast::<u8>();
            if from.is_null() {
                return None;
            }
            let to = &mut bytes[it.offset..it.offset + it.bytes];
            // SAFETY: by the promise of the API it points to the parameter, which has so many bytes.
            unsafe { std::ptr::copy_nonoverlapping(from, to.as_mut_ptr(), to.len()) };
        }
        Some(bytes)
    }

    /// The buffer with all parameters.
    unsafe fn buffer(&self) -> Option<&[u8]> {
        let (mut start, mut size) = (None, None);
        let mut at = self.extra;
        while !at.is_null() {
            // SAFETY: by the promise of the API, pairs of a number and a pointer stand here up to the one that ends them.
            let (kind, value) = unsafe { (at.read().addr(), at.add(1)) };
            match kind {
                // SAFETY: as above.
                BUFFER => start = Some(unsafe { value.read() }.cast::<u8>()),
                // SAFETY: as above; it points to a number.
                BUFFER_SIZE => size = Some(unsafe { value.read().cast::<usize>().read() }),
                _ => break,
            }
            // SAFETY: a pair is behind this one.
            at = unsafe { at.add(2) };
        }
        let (start, size) = (start.filter(|it| !it.is_null())?, size?);
        // SAFETY: by the promise of the API there are so many bytes.
        (size <= MOST).then(|| unsafe { std::slice::from_raw_parts(start, size) })
    }
}

#[cfg(test)]
mod tests {
    use super::super::ParameterKind;
    use super::*;

    fn bytes(given: Given) -> Option<Vec<u8>> {
        // SAFETY: what is given lives as long as the test.
        unsafe { given.bytes(&parameters()) }
    }

    fn parameters() -> Vec<Parameter> {
        let parameter = |offset, bytes| Parameter {
            offset,
            bytes,
            kind: ParameterKind::Integer,
            does: Vec::new(),
            fields: None,
        };
        vec![parameter(0, 4), parameter(8, 8)]
    }

    const WANTED: [u8; 16] = [1, 2, 3, 4, 0, 0, 0, 0, 5, 6, 7, 8, 9, 10, 11, 12];

    #[test]
    fn parameters_that_are_given_one_by_one_lie_at_their_offsets() {
        let (mut first, mut second) = ([1_u8, 2, 3, 4], [5_u8, 6, 7, 8, 9, 10, 11, 12]);
        let mut arguments = [first.as_mut_ptr().cast(), second.as_mut_ptr().cast()];
        let given = Given::one_by_one(arguments.as_mut_ptr());
        assert_eq!(bytes(given), Some(WANTED.to_vec()));
        arguments[1] = std::ptr::null_mut();
        assert_eq!(bytes(Given::one_by_one(arguments.as_mut_ptr())), None);
    }

    #[test]
    fn a_buffer_has_all_parameters() {
        let (mut buffer, mut size) = (WANTED, WANTED.len());
        let mut extra = [
            std::ptr::without_provenance_mut(BUFFER),
            buffer.as_mut_ptr().cast(),
            std::ptr::without_provenance_mut(BUFFER_SIZE),
            (&raw mut size).cast(),
            std::ptr::null_mut(),
        ];
        let given = Given {
            arguments: std::ptr::null_mut(),
            extra: extra.as_mut_ptr(),
        };
        assert_eq!(bytes(given), Some(WANTED.to_vec()));
        let none = Given::one_by_one(std::ptr::null_mut());
        assert_eq!(bytes(none), None);
    }
}
