//! Names what a trace holds as addresses: native functions, and with them who made a refused call.
//!
//! The names come from the files that the program had loaded, as far as these may be read ([`Reach`]), or from the trace,
//! where they are kept.
#![forbid(unsafe_code)]

mod callers;
mod operators;
mod reach;
mod symbols;

pub use reach::Reach;

use std::collections::BTreeMap;

use cgsan_finding::{Finding, GraphNode};
use cgsan_trace::{StringId, Trace};
use rustc_hash::FxHashMap;

use crate::symbols::Symbols;

/// Adds to a trace who made its refused calls: the function of the runtime or a library, and the operator of PyTorch.
pub fn name_callers(trace: &mut Trace, reach: &Reach) {
    callers::name(trace, reach);
    operators::name(trace, reach);
}

/// Replaces the addresses in the native stacks of findings in a trace by the names of their functions.
pub fn name_functions(findings: &mut [Finding], trace: &Trace, reach: &Reach) {
    let recorded = findings.iter().filter_map(|it| it.observed());
    let symbols = Symbols::of(&[trace], recorded.flat_map(|it| &it.native_stack), reach);
    for finding in findings {
        if let Some(observed) = finding.observed_mut() {
            observed.native_stack = symbols.readable(&observed.native_stack);
        }
    }
}

/// The same for findings of traces that keep no names and are not there any more.
pub fn name_functions_of_files(findings: &mut [Finding], reach: &Reach) {
    let recorded = findings.iter().filter_map(|it| it.observed());
    let symbols = Symbols::of(&[], recorded.flat_map(|it| &it.native_stack), reach);
    for observed in findings.iter_mut().filter_map(Finding::observed_mut) {
        observed.native_stack = symbols.readable(&observed.native_stack);
    }
}

/// Replaces the mangled names of kernels by those that the source has.
pub fn name_kernels<'a>(nodes: impl IntoIterator<Item = &'a mut GraphNode>) {
    let mut known: FxHashMap<String, String> = FxHashMap::default();
    for name in nodes.into_iter().filter_map(|node| node.name.as_mut()) {
        let named = known
            .entry(name.clone())
            .or_insert_with(|| symbols::readable(name));
        name.clone_from(named);
    }
}

/// The name of a kernel as its source has it.
pub fn kernel_name(mangled: &str) -> String {
    symbols::readable(mangled)
}

/// Replaces the addresses in native stacks, written `file+0xoffset`, by the names of their functions.
pub fn name_native_stacks<'a>(stacks: impl IntoIterator<Item = &'a mut Vec<String>>) {
    let stacks: Vec<&mut Vec<String>> = stacks.into_iter().collect();
    let frames = stacks.iter().flat_map(|stack| stack.iter());
    let symbols = Symbols::of(&[], frames, &Reach::OwnRun);
    for stack in stacks {
        *stack = symbols.readable(stack);
    }
}

/// The functions of all native frames of a trace, by file and offset, to keep them with it. Read where it was recorded.
pub fn native_names(trace: &Trace) -> BTreeMap<(StringId, u64), String> {
    let frames = trace.native_stacks().flatten();
    let places: BTreeMap<(StringId, u64), String> = frames
        .filter_map(|frame| {
            let module = frame.module?;
            let place = format!("{}+{:#x}", trace.string(module), frame.address);
            Some(((module, frame.address), place))
        })
        .collect();
    let symbols = Symbols::of(&[trace], places.values(), &Reach::OwnRun);
    let named = places
        .iter()
        .filter_map(|(key, place)| Some((*key, symbols.name(place)?.to_owned())));
    named.collect()
}
