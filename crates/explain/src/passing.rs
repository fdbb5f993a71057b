//! What a text says of CUDA graphs in passing: a server logs its captures and its settings, and a command line turns them
//! off, whatever the person complains about.

use std::sync::LazyLock;

use regex_lite::Regex;

use crate::expression::compiled;

static IN_PASSING: LazyLock<Vec<Regex>> = LazyLock::new(|| EXPRESSIONS.map(compiled).into());

const EXPRESSIONS: [&str; 13] = [
    // Progress of captures that go well, and graphs that are left out.
    r"(?im)^.*disabling cuda graphs? due to.*$",
    r"(?im)^.*capturing cuda graphs?.{0,40}(?:\d+%|took|finished).*$",
    r"(?im)^.*capture cuda graph (?:begin|end).*$",
    r"(?m)^(?:.*[^\w=])?(?:INFO|DEBUG)\b.*$",
    // Options, on a command line and in a configuration that a log shows.
    r"(?i)--?enforce[-_]eager\S*|enforce_eager\W{0,3}[=:]\s*\w+|--(?:disable|no)-[a-z-]*cuda-?graph\S*|--cuda-?graph-\S+(?: \S+)?",
    r"(?i)\W?cudagraph_\w+\W? ?[=:]\s*\S*|num_cudagraph\S*|use_cudagraph\w*\W+\w+|(?:disable|enable|use)_cuda_?graph\w*\W{1,4}(?:is |was )?(?:false|true|\d)|USE_GRAPHS ?= ?\d",
    // A name that a module lacks.
    r"has no attribute \S+",
    // Graphs that are not used, or left out with a reason.
    r"(?i)\b(?:disabling|not using|without|no|not? use|instead of) (?:any )?(?:cuda[ -]?graphs?|graphs?|captures?|graph captures?)\b",
    r"(?i)\bgraphs? (?:are|is|aren.t|isn.t) (?:off|disabled|not used|not enabled|enabled|false)",
    r"(?i)max-autotune-(?:no|without)-cuda-?graphs?",
    // Captures and replays of another kind.
    r"(?i)\bcaptured (?:std\w*|logs?)\b[^\n]*|\bcapture_output\b|\b(?:experience )?replay (?:buffer|memory)\b|\bscreen ?capture\w*|\bcaptur\w* (?:frames?|screens?|video|audio|images?|packets?)\b",
    // What PyTorch prints below each error of a GPU.
    r"(?i)CUDA kernel errors might be asynchronously[^\n]*|For debugging consider passing CUDA_LAUNCH_BLOCKING[^\n]*|Compile with `TORCH_USE_CUDA_DSA`[^\n]*|Search for `cudaError\w+. in https[^\n]*|(?:Device|CUDA)-side assertions? (?:was|were) explicitly omitted[^\n]*",
    // Graphs of another kind.
    r"(?i)\b(?:graph[ -]breaks?|(?:computation(?:al)?|calculation|(?:post|pre)_?grad|joint|autograd|backward|onnx|fx|knowledge|scene|dataflow|exportable|topology) graphs?|graph-connect phase|graph (?:neural|colou?ring)|(?:create|retain)_graph\b(?: ?= ?\w+)?|\w*graph_(?:colou?r\w*|module|task)|GraphModule|graph_module\.py)\b",
];

/// The text without that.
pub fn without_passing(text: &str) -> String {
    IN_PASSING.iter().fold(text.to_owned(), |text, passing| {
        passing.replace_all(&text, "").into_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_and_options_are_in_passing() {
        for line in [
            "Capturing CUDA graph shapes: 100%|####| 35/35",
            "INFO 11-24 the server uses cuda graphs",
            "--enforce-eager",
            "--- Captured stdout call --- of the graph",
            "ggml: disabling CUDA graphs due to GPU architecture",
            "backward(create_graph=True) keeps the autograd graph",
            "[ RUN ] graph_color_deterministic",
        ] {
            let rest = without_passing(line).to_lowercase();
            assert!(
                !["graph", "eager", "captur"]
                    .iter()
                    .any(|word| rest.contains(word)),
                "{rest}"
            );
        }
    }

    #[test]
    fn what_is_said_of_them_is_not() {
        for line in [
            "the CUDA graph gives zeros",
            "it fails while capturing CUDA graphs",
            "with NCCL_DEBUG=INFO the capture hangs",
        ] {
            assert_eq!(without_passing(line), line);
        }
    }
}
