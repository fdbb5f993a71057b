//! Which call of CUDA, NCCL or PyTorch's process groups a thread is in, by its native frames.

use serde::Serialize;

/// A call that has not returned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Call {
    /// The function: `cudaStreamSynchronize`, `ncclGroupEnd`, `c10d::TCPStore::get`.
    pub function: String,
    /// What of PyTorch's process groups made it, if that is another one.
    pub within: Option<String>,
    /// Its place among the thread's native frames, innermost first.
    #[serde(skip)]
    pub frame: usize,
}

/// Libraries whose public functions begin so, the CUDA runtime, the driver, and libraries that call them; and what the names of their
/// files begin with.
const LIBRARIES: &[(&str, &[&str])] = &[
    ("cuda", &["libcudart", "libcgsan_vgpu"]),
    ("cu", &["libcuda.", "libcgsan_vgpu"]),
    ("cublas", &["libcublas"]),
    ("cudnn", &["libcudnn"]),
];

/// How NCCL's public functions begin (`nccl.h`), wherever it is linked into. Others are what its own threads run.
const NCCL: &[&str] = &[
    "ncclAllGather",
    "ncclAllReduce",
    "ncclAlltoAll",
    "ncclBcast",
    "ncclBroadcast",
    "ncclComm",
    "ncclGather",
    "ncclGetUniqueId",
    "ncclGroup",
    "ncclMem",
    "ncclRecv",
    "ncclReduce",
    "ncclScatter",
    "ncclSend",
];

/// PyTorch's process groups and stores.
const DISTRIBUTED: &str = "c10d::";

/// The call that a thread with these frames, innermost first, as `function (file+0xoffset)`, is in: the outermost function that a
/// library offers to others.
pub fn call_of(frames: &[String]) -> Option<Call> {
    let named: Vec<(&str, &str)> = frames.iter().map(|frame| parts(frame)).collect();
    let of_library = named
        .iter()
        .rposition(|(function, file)| is_public(function, file));
    // PyTorch's own names are of use where a library's function is, or where it waits for another process.
    let of_group = named
        .iter()
        .position(|(function, _)| function.starts_with(DISTRIBUTED) && !is_loop(function));
    let (frame, group) = match (of_library, of_group) {
        (Some(frame), group) => (frame, group.filter(|group| *group > frame)),
        (None, Some(group)) => (group, None),
        (None, None) => return None,
    };
    Some(Call {
        function: short(named[frame].0),
        within: group.map(|group| short(named[group].0)),
        frame,
    })
}

/// A function and the file that it is in.
fn parts(frame: &str) -> (&str, &str) {
    let (function, place) = frame.rsplit_once(" (").unwrap_or(("", frame));
    let file = place.rsplit_once("+0x").map_or(place, |(file, _)| file);
    (function, file.rsplit('/').next().unwrap_or(file))
}

fn is_public(function: &str, file: &str) -> bool {
    if NCCL.iter().any(|prefix| function.starts_with(prefix)) {
        return !function.contains("::");
    }
    LIBRARIES.iter().any(|(prefix, files)| {
        let behind = function.strip_prefix(prefix);
        let is_named = behind.is_some_and(|it| it.starts_with(|c: char| c.is_ascii_uppercase()));
        is_named && !function.contains("::") && files.iter().any(|it| file.starts_with(it))
    })
}

/// Whether a function is what a thread of a process group's own runs, for as long as the group lives.
fn is_loop(function: &str) -> bool {
    let name = short(function);
    let services = [
        "Watchdog",
        "Monitor",
        "Heartbeat",
        "Daemon",
        "Backend",
        "runLoop",
        "::run",
    ];
    services.iter().any(|it| name.contains(it))
}

/// A function without its parameters.
fn short(function: &str) -> String {
    let end = function.find('(').unwrap_or(function.len());
    function[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(frames: &[&str]) -> Option<(String, Option<String>, usize)> {
        let frames: Vec<String> = frames.iter().map(|it| (*it).to_owned()).collect();
        call_of(&frames).map(|it| (it.function, it.within, it.frame))
    }

    #[test]
    fn the_outermost_public_function_is_the_call() {
        let found = call(&[
            "clock_nanosleep (libc.so.6+0x1)",
            "libcuda.so.580.82+0x2",
            "cuStreamSynchronize (libcuda.so.580.82+0x3)",
            "cudaStreamSynchronize (libcudart.so.13+0x4)",
            "at::native::_local_scalar_dense_cuda(at::Tensor const&) (libtorch_cuda.so+0x5)",
            "_PyEval_EvalFrameDefault (python3.11+0x6)",
        ]);
        assert_eq!(found, Some(("cudaStreamSynchronize".to_owned(), None, 3)));
    }

    #[test]
    fn a_call_of_nccl_is_named_with_the_process_group_that_made_it() {
        let found = call(&[
            "poll (libc.so.6+0x1)",
            "ncclCommInitRankConfig (libnccl.so.2+0x2)",
            "c10d::ProcessGroupNCCL::allreduce(std::vector<at::Tensor>&) (libtorch_cuda.so+0x3)",
        ]);
        let within = "c10d::ProcessGroupNCCL::allreduce".to_owned();
        assert_eq!(
            found,
            Some(("ncclCommInitRankConfig".to_owned(), Some(within), 1))
        );
        let found = call(&[
            "recv (libc.so.6+0x1)",
            "c10d::TCPStore::wait(std::vector<std::string> const&) (libtorch_cpu.so+0x2)",
            "c10d::PrefixStore::get(std::string const&) (libtorch_cpu.so+0x3)",
        ]);
        assert_eq!(found, Some(("c10d::TCPStore::wait".to_owned(), None, 1)));
    }

    #[test]
    fn services_and_functions_of_programs_are_no_calls() {
        assert_eq!(call(&["poll (libc.so.6+0x1)", "main (train+0x2)"]), None);
        assert_eq!(
            call(&["cudaMine (libmine.so+0x1)", "custom (libcuda.so.1+0x2)"]),
            None
        );
        let watchdog = "c10d::ProcessGroupNCCL::Watchdog::runLoop() (libtorch_cuda.so+0x1)";
        assert_eq!(
            call(&["pthread_cond_timedwait (libc.so.6+0x1)", watchdog]),
            None
        );
        assert_eq!(
            call(&[
                "poll (libc.so.6+0x1)",
                "ncclProxyService(void*) (libnccl.so.2+0x2)"
            ]),
            None
        );
        assert_eq!(call(&[]), None);
    }
}
