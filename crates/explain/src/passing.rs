//! What a text says of CUDA graphs in passing: a server logs its captures and its settings, and a command line turns them
//! off, whatever the person complains about.

use std::sync::LazyLock;

use regex_lite::Regex;

static IN_PASSING: LazyLock<Vec<Regex>> = LazyLock::new(|| EXPRESSIONS.map(compiled).into());

const EXPRESSIONS: [&str; 10] = [
    // Progress of captures that go well.
    r"(?im)^.*capturing cuda graphs?.{0,40}(?:\d+%|took|finished).*$",
    r"(?im)^.*capture cuda graph (?:begin|end).*$",
    r"(?m)^.*\b(?:INFO|DEBUG)\b.*$",
    // Options, on a command line and in a configuration that a log shows.
    r"(?i)--?enforce[-_]eager\S*|enforce_eager\W{0,3}[=:]\s*\w+|--[a-z-]*cuda-?graph[a-z-]*\S*(?: \S+)?",
    r"(?i)\W?cudagraph_\w+\W? ?[=:]\s*\S*|num_cudagraph\S*|use_cudagraph\w*\W+\w+|(?:disable|enable|use)_cuda_?graph\w*\W{1,4}(?:false|true|\d)|USE_GRAPHS ?= ?\d",
    // A name that a module lacks.
    r"has no attribute \S+",
    // Graphs that are not used, or left out with a reason.
    r"(?i)\b(?:disabling|not using|without|no|not? use|instead of) (?:any )?(?:cuda[ -]?graphs?|graphs?|captures?|graph captures?)\b(?: due to[^\n]*)?",
    r"(?i)\bgraphs? (?:are|is|aren.t|isn.t) (?:off|disabled|not used|not enabled|enabled|false)",
    r"(?i)max-autotune-(?:no|without)-cuda-?graphs?",
    // Graphs of another kind.
    r"(?i)\b(?:graph[ -]breaks?|computation(?:al)? graphs?|autograd graphs?|graph_coloring|calculation graphs?|onnx graphs?|exportable graph)\b",
];

fn compiled(expression: &str) -> Regex {
    Regex::new(expression).expect("the expressions are compiled by each test")
}

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
            "ggml: disabling CUDA graphs due to GPU architecture",
        ] {
            let rest = without_passing(line).to_lowercase();
            assert!(!rest.contains("graph") && !rest.contains("eager"), "{rest}");
        }
    }

    #[test]
    fn what_is_said_of_them_is_not() {
        for line in [
            "the CUDA graph gives zeros",
            "it fails while capturing CUDA graphs",
        ] {
            assert_eq!(without_passing(line), line);
        }
    }
}
