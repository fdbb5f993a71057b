//! Who made the refused calls of a real GPU: the function of the runtime, and that of a library around it.
//!
//! The recorder sees the driver's functions alone. Whose call one was, the native stack shows: the outermost frame in a
//! file of NVIDIA's is the function that the program called.

use std::path::Path;

use cgsan_trace::{NativeFrame, Record, Trace};

use crate::reach::Reach;
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
pub(crate) fn name(trace: &mut Trace, reach: &Reach) {
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
    let symbols = Symbols::of(
        &[&*trace],
        callers.iter().flat_map(|(_, caller)| caller.frames()),
        reach,
    );
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

#[cfg(test)]
mod tests {
    use cgsan_model::{Call, Code, Restricted, ThreadId};
    use cgsan_trace::{CallRecord, Entry, NativeStackId, ProcessInfo, StringId, format};

    use super::*;

    /// A refused allocation with this native stack, innermost file first.
    fn refused(virtual_gpu: bool, files: &[&str]) -> Trace {
        let mut records = vec![Record::Process(ProcessInfo {
            virtual_gpu,
            ..ProcessInfo::default()
        })];
        let names = ["cuMemAlloc_v2"].iter().chain(files);
        for (id, text) in (0..).map(StringId).zip(names) {
            records.push(Record::String {
                id,
                text: (*text).to_owned(),
            });
        }
        let modules = (1..).map(StringId).take(files.len());
        records.push(Record::NativeStack {
            id: NativeStackId(0),
            frames: modules
                .map(|module| NativeFrame {
                    module: Some(module),
                    address: 16,
                })
                .collect(),
        });
        records.push(Record::Call(CallRecord {
            function: StringId(0),
            runtime: None,
            library: None,
            call: Call::Restricted(Restricted::Malloc),
            result: Code::STREAM_CAPTURE_UNSUPPORTED,
            stack: None,
            native: Some(NativeStackId(0)),
            autograd_sequence: None,
        }));
        let entries: Vec<Entry> = records
            .into_iter()
            .map(|record| Entry {
                time_ns: 0,
                thread: ThreadId(1),
                record,
            })
            .collect();
        Trace::parse(&format::encode_all(&entries)).expect("a trace")
    }

    /// The library that the call is said to be made by.
    fn library(mut trace: Trace) -> Option<String> {
        name(&mut trace, &Reach::OwnRun);
        let Record::Call(call) = &trace.entries()[0].record else {
            panic!("the trace has one call");
        };
        call.library.map(|library| trace.string(library).to_owned())
    }

    #[test]
    fn the_outermost_library_is_named_if_only_by_its_file() {
        let stack = [
            "/lib/libcuda.so.1",
            "/lib/libcublasLt.so.13",
            "/lib/libcublas.so.13",
            "/lib/libtorch_cuda.so",
        ];
        assert_eq!(library(refused(false, &stack)).as_deref(), Some("cublas"));
        assert_eq!(library(refused(true, &stack)), None);
    }

    #[test]
    fn a_call_of_pytorch_itself_has_no_library() {
        let stack = ["/lib/libcudart.so.13", "/lib/libtorch_cuda.so"];
        assert_eq!(library(refused(false, &stack)), None);
    }
}
