//! Which functions of CUDA a timeline keeps, by their names.

/// What a call to CUDA is for a timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CallKind {
    /// It launches a kernel.
    Launch,
    /// It enqueues a copy, and may return before the copy is done.
    Copy,
    /// It copies, and returns when the copy is done.
    BlockingCopy,
    /// It enqueues a fill.
    Fill,
    /// It launches an executable graph.
    Replay,
    /// It waits for the device: `cudaStreamSynchronize` and its kin.
    Wait,
}

impl CallKind {
    /// The kind of a function of the runtime or the driver; `None` for one that neither enqueues work nor waits.
    pub fn of(function: &str) -> Option<Self> {
        let name = function.strip_prefix("cu")?;
        let name = name.strip_prefix("da").unwrap_or(name);
        if name.starts_with("LaunchKernel") || name.starts_with("LaunchCooperativeKernel") {
            return Some(Self::Launch);
        }
        if name.starts_with("GraphLaunch") {
            return Some(Self::Replay);
        }
        if name.starts_with("Memcpy") {
            return Some(if name.contains("Async") {
                Self::Copy
            } else {
                Self::BlockingCopy
            });
        }
        if name.starts_with("Memset") {
            return Some(Self::Fill);
        }
        let waits = [
            "DeviceSynchronize",
            "CtxSynchronize",
            "StreamSynchronize",
            "EventSynchronize",
        ];
        waits
            .iter()
            .any(|it| name.starts_with(it))
            .then_some(Self::Wait)
    }

    /// Whether it enqueues work.
    pub fn is_launch(self) -> bool {
        self != Self::Wait
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_told_apart_by_their_names() {
        for (function, kind) in [
            ("cudaLaunchKernel", Some(CallKind::Launch)),
            ("cudaLaunchKernelExC", Some(CallKind::Launch)),
            ("cuLaunchKernelEx", Some(CallKind::Launch)),
            ("cudaLaunchKernel_v7000", Some(CallKind::Launch)),
            ("cudaGraphLaunch_v10000", Some(CallKind::Replay)),
            ("cudaMemcpyAsync", Some(CallKind::Copy)),
            ("cuMemcpyHtoDAsync_v2", Some(CallKind::Copy)),
            ("cudaMemcpy", Some(CallKind::BlockingCopy)),
            ("cudaMemsetAsync", Some(CallKind::Fill)),
            ("cudaEventSynchronize", Some(CallKind::Wait)),
            ("cuCtxSynchronize", Some(CallKind::Wait)),
            ("cudaStreamWaitEvent", None),
            ("cudaGraphInstantiate", None),
            ("cudaMalloc", None),
            ("aten::copy_", None),
        ] {
            assert_eq!(CallKind::of(function), kind, "{function}");
        }
    }
}
