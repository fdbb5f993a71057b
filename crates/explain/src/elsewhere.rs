//! Errors that people meet beside CUDA graphs and that are no failure of one: what they mostly are.

use cgsan_catalogue::Text;

use crate::candidate::Explanation;

/// An error that is no graph's.
struct Other {
    /// Words one of which a text of it has, in lower case.
    words: &'static [&'static str],
    /// What it mostly is, and what to do.
    text: Text,
}

/// The more special ones first.
const OTHERS: [Other; 9] = [
    Other {
        words: &[
            "insufficientdriver",
            "driver version is insufficient",
            "cuda failure! 35",
            "update your cuda driver",
            "driver needs to support",
        ],
        text: Text {
            english: "The NVIDIA driver is too old for this build: compare the versions that `nvidia-smi` and `torch.version.cuda` show, and update the driver, or install a build for an older CUDA.",
            chinese: "驱动对所要求的功能来说太旧：比较 `nvidia-smi` 与 `torch.version.cuda` 显示的版本，升级驱动，或安装面向更旧 CUDA 的版本。",
        },
    },
    Other {
        words: &[
            "libcuda.so",
            "no cuda gpus are available",
            "no nvidia driver",
        ],
        text: Text {
            english: "No NVIDIA driver is installed, or it sees no GPU: check that `nvidia-smi` shows one, inside the container too. A build for ROCm has no `libcuda.so`.",
            chinese: "没有 NVIDIA 驱动，或驱动看不到 GPU：`nvidia-smi` 要能显示它，容器里也一样。ROCm 版本没有 `libcuda.so`。",
        },
    },
    Other {
        words: &["no kernel image is available", "kernel image is invalid"],
        text: Text {
            english: "The package has no kernels for this GPU: install a build for its compute capability, or compile it with that in `TORCH_CUDA_ARCH_LIST`.",
            chinese: "该软件包没有面向这块 GPU 的 kernel：安装支持其计算能力的版本，或在 `TORCH_CUDA_ARCH_LIST` 中加上它重新编译。",
        },
    },
    Other {
        words: &["with arguments from the 'cuda' backend"],
        text: Text {
            english: "The package that is loaded has no CUDA kernel for this operator: install a build of it for this GPU and this version of PyTorch. Without graphs it fails at the same operator.",
            chinese: "所加载的软件包里没有该算子的 CUDA kernel：安装面向这块 GPU 和这一 PyTorch 版本的构建。不使用图时也会在同一算子处失败。",
        },
    },
    Other {
        words: &[
            "custom_all_reduce",
            "custom all-reduce",
            "register_graph_buffers",
        ],
        text: Text {
            english: "The server's own all-reduce could not share its buffers between the processes, which it does after the captures. `--disable-custom-all-reduce` avoids it; so does memory that can be shared, without `expandable_segments`.",
            chinese: "服务框架自带的 all-reduce 在捕获之后要在进程之间共享缓冲区，这一步失败了。`--disable-custom-all-reduce` 可以绕过它；不使用 `expandable_segments`、让显存可以共享也行。",
        },
    },
    Other {
        words: &[
            "device-side assert",
            "index out of bounds",
            "assertion `srcindex",
            "vectorized_gather_kernel",
        ],
        text: Text {
            english: "A kernel was given an index outside of its tensor. It is reported at a later call: run with `CUDA_LAUNCH_BLOCKING=1` and without graphs, and check the ids that go into embeddings and gathers.",
            chinese: "某个 kernel 得到了越界的索引，并在之后的调用中才报告：不使用图、设 `CUDA_LAUNCH_BLOCKING=1` 运行，检查送入 embedding 和 gather 的下标。",
        },
    },
    Other {
        words: &["illegal memory access", "illegaladdress", "illegal_address"],
        text: Text {
            english: "A kernel accessed memory that is not its own, and a later call reports it. Run without graphs and with `CUDA_LAUNCH_BLOCKING=1`, or under `compute-sanitizer`: if it fails there too, no graph is to blame.",
            chinese: "某个 kernel 访问了不属于它的内存，由之后的调用报告。不使用图、设 `CUDA_LAUNCH_BLOCKING=1`，或在 `compute-sanitizer` 下运行：如果同样失败，就与图无关。",
        },
    },
    Other {
        words: &[
            "state_steps should not be cuda tensors",
            "_warned_capturable_if_run_uncaptured",
        ],
        text: Text {
            english: "No capture is involved: PyTorch 1.12.0 fails so when an optimizer goes on from a checkpoint, and 1.12.1 does not. Update PyTorch; on 1.12.0, set `capturable` of the parameter groups to `True` after `load_state_dict`.",
            chinese: "与捕获无关：PyTorch 1.12.0 中优化器从 checkpoint 恢复时会这样报错，1.12.1 已修复。请升级 PyTorch；若必须用 1.12.0，可在 `load_state_dict` 之后把各参数组的 `capturable` 设为 `True`。",
        },
    },
    Other {
        words: &[
            "cudnn_status_not_initialized",
            "cublas_status_not_initialized",
        ],
        text: Text {
            english: "The library could not start, usually because device memory is full or its version does not fit PyTorch's: free memory, or install the version that PyTorch was built with.",
            chinese: "该库无法启动：多半是显存已满，或其版本与 PyTorch 不匹配：释放显存，或安装 PyTorch 构建时所用的版本。",
        },
    },
];

impl Explanation {
    /// What a text mostly is that is about no failure of a graph, if that is known.
    pub fn elsewhere(&self) -> Option<Text> {
        if self.is_of_graphs && !self.candidates.is_empty() {
            return None;
        }
        let opening = self.opening.to_lowercase();
        let has = |other: &&Other| other.words.iter().any(|word| opening.contains(word));
        OTHERS.iter().find(has).map(|other| other.text)
    }
}

#[cfg(test)]
mod tests {
    fn elsewhere(text: &str) -> Option<&'static str> {
        let explanation = crate::text(text).unwrap();
        explanation.elsewhere().map(|text| text.english)
    }

    #[test]
    fn what_is_no_graphs_is_named() {
        let driver = elsewhere("RuntimeError: CUDA error code=35(b'cudaErrorInsufficientDriver')");
        assert!(driver.unwrap().starts_with("The NVIDIA driver is too old"));
        let shared = elsewhere(
            "Capturing CUDA graphs: 100%\nFailed: Cuda error custom_all_reduce.cuh:164 'invalid argument'",
        );
        assert!(shared.unwrap().contains("--disable-custom-all-reduce"));
        let kernel = elsewhere(
            "Capture cuda graph failed: Could not run 'ours::norm' with arguments from the 'CUDA' backend.",
        );
        assert!(kernel.unwrap().contains("no CUDA kernel"));
    }

    #[test]
    fn what_an_old_optimizer_says_of_captures_is_no_graphs() {
        let resumed = elsewhere(
            "AssertionError: If capturable=False, state_steps should not be CUDA tensors.",
        );
        assert!(resumed.unwrap().starts_with("No capture is involved"));
    }

    #[test]
    fn failures_of_graphs_and_other_texts_are_not() {
        assert_eq!(
            elsewhere("CUDA error: capturing stream has unjoined work"),
            None
        );
        assert_eq!(elsewhere("it rains"), None);
    }
}
