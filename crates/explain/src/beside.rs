//! Signs that a failure happens beside a graph: the text names graphs, and what fails is something else, or nothing.

use std::sync::LazyLock;

use regex_lite::Regex;

use crate::expression::compiled;
use crate::sign::{Sign, holding};

/// What fails is something else, whatever it was called from.
static ANOTHER_FAILURE: LazyLock<Regex> = LazyLock::new(|| {
    let kinds = [
        // A package without a kernel for the device.
        r"Could not run '[^'\n]+' with arguments from the|no kernel image is available",
        // A capture status that CUDA does not have.
        r"Unknown CUDA graph CaptureStatus",
        // A session of ONNX Runtime that keeps a part of its model on the host.
        r"cannot use the CUDA Graph feature as requested",
        // Nodes that a program adds by hand, with arguments that fit no kernel.
        r"invalid (?:argument|value)[^\n]{0,40}GraphAddKernelNode|GraphAddKernelNode[^\n]{0,40}invalid (?:argument|value)",
        // Buffers that are shared between processes after the captures.
        r"custom_all_reduce\.cuh?:\d+",
    ];
    compiled(&format!("(?i){}", kinds.join("|")))
});

/// The line of an exception, and its name.
static EXCEPTION: LazyLock<Regex> = LazyLock::new(|| {
    compiled(r"(?im)^\W*(?:E\s+)?(?:\w+\.)*(\w+(?:Error|Exception)|OutOfResources):[^\n]*")
});

/// Exceptions that no graph raises: a file, a package or a kernel is missing, or does not fit the device.
const OF_NO_GRAPH: [&str; 8] = [
    "FileNotFoundError",
    "ImportError",
    "ModuleNotFoundError",
    "NameError",
    "NotImplementedError",
    "OSError",
    "OutOfResources",
    "PermissionError",
];

/// What titles name that are about something else, or about what goes well.
static TITLE_OF_ANOTHER: LazyLock<Regex> = LazyLock::new(|| {
    let kinds = [
        // Compilation of a package, before anything runs.
        r"\bfail\w* to build\b|\bcompil\w+ errors?\b|\bbuild (?:error|failure|fails)\b|\bundefined symbol",
        // Tensors that only a compiler has.
        r"\bfake ?(?:tensors?|mode)\b",
        // Nodes that CUDA's graphs have and PyTorch's captures lack.
        r"\btorch\.cond\b|\bconditional nodes?\b|GraphConditional",
        // Graphs of another kind.
        r"\bGNNs?\b|\badjacency\b",
        // Devices that have no CUDA graphs.
        r"\b(?:xpu|sycl|vulkan|npu|ascend|tpu|openvino)\b|\bother than cuda\b",
        // Graphs that help.
        r"\bgraphs?(?: captures?| replays?)? (?:gives?|brings?|yields?) (?:a )?(?:[2-9]|\d\d+)(?:\.\d+)? ?[x×]",
    ];
    compiled(&format!("(?i){}", kinds.join("|")))
});

/// What people say whose program works with graphs, and fails without.
static WORKS_WITH_GRAPHS: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)\b(?:enforce_)?eager(?: mode)?\W*(?:(?:is|=|:)\W*)?(?:false|off|disabled)\b[^\n]{0,80}\b(?:is|are|was) (?:correct|fine|good|ok|normal)\b|\b(?:fail\w*|crash\w*|happens|wrong|broken|garbage) only (?:with|when|if)\b[^.\n]{0,20}\bgraphs? (?:are |is )?(?:off|disabled)\b",
    )
});

/// What people ask who want to use graphs.
static QUESTION: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)\bhow (?:to|do (?:i|we|you)|can (?:i|we|one)|should (?:i|we))\b|\b(?:code snippet|sample code|example code|tutorial)\b|\bis it possible\b|\bis there (?:a|an|any) (?:way|plan|support|example|documentation)|\bany (?:plans?|examples?)\b|\bdoes any(?:one|body) (?:have|know)\b|\bwould (?:like|love) to (?:have|see|use)\b|\bit would be (?:nice|great|helpful|good|useful)\b|如何|怎么(?:用|使用|开启)|有没有(?:例子|示例)",
    )
});

/// How the text below a title begins that proposes something.
static PROPOSAL: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)^\W*(?:please |we (?:should|could|need to|want to) )?(?:implement|add|support|introduce|enable|provide|expose|allow|investigate|consider)\b",
    )
});

/// What a text has that asks for help with a failure.
static FAILURE: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)\b(?:\w*error|fail|crash|abort|wrong|incorrect|garbage|hang|hung|stuck|deadlock|slow|illegal|nans?\b|zeros?\b|not permitted|differ(?:s|ent)\b|invalid|assert|broken?\b|break(?:s|ing)\b|leak|oom\b|memory|segfault|exception|stale|grow|explode|overhead|bug\b|(?:does|did|is|are|was)(?:n.t| not) (?:work|captur|updat|support|permit|allow|chang)|unsupported|lose\b|lost\b|no (?:difference|effect|gain|speed-?up)|never\b|lower\b)|失败|报错|错误|崩溃|异常|慢|显存|不支持",
    )
});

/// The signs of a text that it is about something beside graphs: another failure, or none. Its first line is its title.
pub fn signs(text: &str) -> impl Iterator<Item = Sign> {
    let (title, body) = text.split_once('\n').unwrap_or((text, ""));
    let asks = QUESTION.is_match(text);
    let fails = FAILURE.is_match(text);
    let signs = [
        (Sign::AnotherFailure, ANOTHER_FAILURE.is_match(text)),
        (Sign::AnotherException, ends_in_another_exception(text)),
        (Sign::TitleOfAnother, TITLE_OF_ANOTHER.is_match(title)),
        (Sign::WorksWithGraphs, WORKS_WITH_GRAPHS.is_match(text)),
        (Sign::Question, asks && !fails),
        (
            Sign::Proposal,
            PROPOSAL.is_match(body) && !FAILURE.is_match(title),
        ),
        (Sign::NoFailure, !fails),
    ];
    holding(signs)
}

/// Whether the last exception of a text is one that no graph raises.
fn ends_in_another_exception(text: &str) -> bool {
    EXCEPTION.captures_iter(text).last().is_some_and(|last| {
        OF_NO_GRAPH.contains(&&last[1]) && !last[0].to_lowercase().contains("captur")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(text: &str, sign: Sign) -> bool {
        signs(text).any(|known| known == sign)
    }

    #[test]
    fn another_failure_has_its_sign() {
        for (text, sign) in [
            (
                "Cannot start\nCapturing: Could not run 'ours::norm' with arguments from the 'CUDA' backend.",
                Sign::AnotherFailure,
            ),
            (
                "The plugin for CUDA graphs: failed to build with gcc 9\nSee the log.",
                Sign::TitleOfAnother,
            ),
            (
                "torch.cond in a CUDA graph crashes\nIt has two branches.",
                Sign::TitleOfAnother,
            ),
            (
                "Odd numbers\nWith enforce_eager=False the text is fine, with True it is not.",
                Sign::WorksWithGraphs,
            ),
            (
                "CUDA graphs in C++\nIs there an example? I have read the guide.",
                Sign::Question,
            ),
            (
                "Graphs for the decoder\n\n- Add a second graph for long prompts.",
                Sign::Proposal,
            ),
        ] {
            assert!(has(text, sign), "{text}");
        }
    }

    #[test]
    fn the_last_exception_counts() {
        let sign = Sign::AnotherException;
        assert!(has(
            "The capture\nRuntimeError: it fails\nImportError: no kernels",
            sign
        ));
        for text in [
            "The capture\nImportError: no kernels\nRuntimeError: it fails",
            "The graph\nNotImplementedError: random numbers cannot be captured",
        ] {
            assert!(!has(text, sign), "{text}");
        }
    }

    #[test]
    fn a_failure_of_a_graph_has_none() {
        for text in [
            "CUDA graphs: the capture fails\nAdd a stream, and it does not.",
            "It fails unless CUDA graphs are disabled",
            "A CUDA graph gives 0.9x of eager\nIt is slower.",
        ] {
            assert!(!has(text, Sign::WorksWithGraphs), "{text}");
            assert!(!has(text, Sign::NoFailure), "{text}");
        }
    }
}
