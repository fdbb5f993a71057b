//! Native stacks: where in which file the calling thread is. Names are looked up after the run.
#![expect(unsafe_code, reason = "calls the unwinder")]

use std::ffi::{c_int, c_void};
use std::ops::ControlFlow;

use cgsan_trace::{NativeFrame, NativeStackId, Record};
use rustc_hash::FxHashMap;

use crate::modules;
use crate::strings::Strings;
use crate::writer::Writer;

/// The most frames that a native stack is given.
const DEEPEST: usize = 64;

/// Where a frame of a native stack is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    /// The file that the code was loaded from.
    pub module: Option<String>,
    /// The address of the call, relative to where that file was loaded.
    pub address: u64,
}

/// The native stacks that the trace defines.
#[derive(Default)]
pub struct NativeStacks {
    ids: FxHashMap<Vec<Address>, NativeStackId>,
}

impl NativeStacks {
    /// The id of a stack, defining it at first sight.
    pub fn intern(
        &mut self,
        writer: &mut Writer,
        strings: &mut Strings,
        stack: Vec<Address>,
    ) -> NativeStackId {
        if let Some(id) = self.ids.get(&stack) {
            return *id;
        }
        let id = NativeStackId(u32::try_from(self.ids.len()).unwrap_or(u32::MAX));
        let frames = stack
            .iter()
            .map(|frame| NativeFrame {
                module: frame
                    .module
                    .as_deref()
                    .map(|module| strings.intern(writer, module)),
                address: frame.address,
            })
            .collect();
        writer.append(Record::NativeStack { id, frames });
        self.ids.insert(stack, id);
        id
    }
}

/// The calling thread's native stack, innermost frame first.
pub fn take() -> Vec<Address> {
    let mut stack: Vec<Address> = calls()
        .into_iter()
        .map(|address| Address {
            module: None,
            address: address as u64,
        })
        .collect();
    modules::visit(|module| {
        for frame in stack.iter_mut().filter(|frame| frame.module.is_none()) {
            if module.contains(frame.address) {
                frame.module = Some(module.path());
                frame.address -= module.base();
            }
        }
        ControlFlow::Continue(())
    });
    stack
}

/// The file whose code called into this one: the innermost on the calling thread's stack that is another.
#[must_use]
pub fn calling_file() -> Option<String> {
    let mut files = take().into_iter().filter_map(|frame| frame.module);
    let own = files.next()?;
    files.find(|file| *file != own)
}

/// The addresses of the calls that the calling thread is in.
fn calls() -> Vec<usize> {
    let mut addresses = Vec::with_capacity(DEEPEST);
    // SAFETY: `note` gets back the vector that it is given here, while the walk lasts. The unwinder reads the stack by the
    // tables of the libraries; it stops where there is none.
    unsafe { _Unwind_Backtrace(note, (&raw mut addresses).cast()) };
    addresses
}

/// The unwinder's answers to its callback: go on, and stop.
const GO_ON: c_int = 0;
const STOP: c_int = 5;

extern "C" fn note(context: *mut c_void, addresses: *mut c_void) -> c_int {
    // SAFETY: see `calls`.
    let addresses = unsafe { &mut *addresses.cast::<Vec<usize>>() };
    let mut before_instruction = 0;
    // SAFETY: the context is the one that the unwinder passed.
    let address = unsafe { _Unwind_GetIPInfo(context, &raw mut before_instruction) };
    if address == 0 || addresses.len() == DEEPEST {
        return STOP;
    }
    // A return address is that of the instruction behind the call.
    addresses.push(if before_instruction == 0 {
        address - 1
    } else {
        address
    });
    GO_ON
}

unsafe extern "C" {
    fn _Unwind_Backtrace(
        note: extern "C" fn(*mut c_void, *mut c_void) -> c_int,
        argument: *mut c_void,
    ) -> c_int;
    fn _Unwind_GetIPInfo(context: *mut c_void, before_instruction: *mut c_int) -> usize;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[inline(never)]
    fn deeper(levels: u32) -> Vec<Address> {
        if levels == 0 {
            take()
        } else {
            let stack = deeper(levels - 1);
            std::hint::black_box(stack)
        }
    }

    #[test]
    fn a_stack_leads_through_this_program() {
        let stack = take();
        let program = std::env::current_exe().unwrap();
        let innermost = stack.first().unwrap();
        assert_eq!(innermost.module.as_deref(), program.to_str());
        let size = std::fs::metadata(&program).unwrap().len();
        assert!(innermost.address < size);
    }

    #[test]
    fn a_deep_stack_is_cut_off() {
        assert_eq!(deeper(200).len(), DEEPEST);
    }
}
