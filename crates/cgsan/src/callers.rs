//! Who made the refused calls of a real GPU: the function of the runtime, and that of a library around it.
//!
//! The recorder sees the driver's functions alone. Whose call one was, the native stack shows: the outermost frame in a
//! file of NVIDIA's is the function that the program called.

use std::path::Path;

use cgsan_trace::{NativeFrame, Record, Trace};

use crate::symbols::Symbols;

/// The libraries around the runtime, by the beginnings of their files, longer ones before those they begin with; and how
/// their functions begin.
const LIBRARIES: &[(&str, &str)] = &[
    ("libcublasLt.so", "cublasLt"),
    ("libcublas.so", "cublas"),
    ("libcudnn", "cudnn"),
    ("libcusolver", "cusolver"),
    ("libcusparseLt", "cusparseLt"),
    ("libcusparse", "cusparse"),
    ("libcufft", "cufft"),
    ("libcurand", "curand"),
    ("libnccl", "nccl"),
    ("libnvshmem", "nvshmem"),
];

const RUNTIME: &str = "libcudart";

/// Names the callers of the calls that have a native stack, unless they are named.
pub fn name(trace: &mut Trace) {
    if trace.process().virtual_gpu {
        return;
    }
    let callers: Vec<(usize, Caller)> = trace
        .entries()
        .iter()
        .enumerate()
        .filter_map(|(position, entry)| match &entry.record {
            Record::Call(call) => {
                let stack = trace.native_stack(call.native?);
                Some((position, Caller::of(trace, stack)))
            }
            _ => None,
        })
        .collect();
    let symbols = Symbols::look_up(callers.iter().flat_map(|(_, caller)| caller.frames()));
    for (position, caller) in &callers {
        let name = |frame: &String, begins: &str| {
            let name = symbols.name(frame).filter(|name| name.starts_with(begins));
            name.map(str::to_owned)
        };
        let runtime = caller
            .runtime
            .as_ref()
            .and_then(|frame| name(frame, "cuda"));
        let library = caller
            .library
            .as_ref()
            .map(|(frame, prefix)| name(frame, prefix).unwrap_or_else(|| (*prefix).to_owned()));
        trace.name_caller(*position, runtime.as_deref(), library.as_deref());
    }
}

/// The outermost frames of a native stack that lie in files of NVIDIA's, written `file+0xoffset`.
#[derive(Debug, Default)]
struct Caller {
    runtime: Option<String>,
    /// With how the library's functions begin.
    library: Option<(String, &'static str)>,
}

impl Caller {
    fn of(trace: &Trace, stack: &[NativeFrame]) -> Caller {
        let mut caller = Caller::default();
        for frame in stack.iter().rev() {
            let Some(module) = frame.module.map(|module| trace.string(module)) else {
                continue;
            };
            let file = Path::new(module).file_name().unwrap_or_default();
            let file = file.to_string_lossy();
            let place = || format!("{module}+{:#x}", frame.address);
            if file.starts_with(RUNTIME) {
                caller.runtime.get_or_insert_with(place);
            } else if let Some((_, prefix)) = LIBRARIES.iter().find(|it| file.starts_with(it.0)) {
                caller.library.get_or_insert_with(|| (place(), prefix));
            }
        }
        caller
    }

    fn frames(&self) -> impl Iterator<Item = &String> {
        let library = self.library.as_ref().map(|(frame, _)| frame);
        self.runtime.iter().chain(library)
    }
}
