//! Whether a text is about CUDA graphs at all. Memory runs out and ranks wait for each other in other programs too.

use aho_corasick::{AhoCorasick, AhoCorasickBuilder};

use crate::incident::{Incident, is_program_frame};

/// Only who uses graphs, or meets a capture, writes these; in any case of the letters.
const WORDS: [&str; 46] = [
    "cuda graph",
    "hip graph",
    "hipgraph",
    "reduce-overhead",
    "invalid capture",
    "cudagraph",
    "cuda_graph",
    "cuda-graph",
    "cuda.graph",
    "cugraph",
    "cuda/graphs.py",
    "cuda 图",
    "stream is capturing",
    "during capture",
    "graph capture",
    "capture graph",
    "captured graph",
    "capturing graph",
    "capturing stream",
    "capturing_stream",
    "capturing blocking stream",
    "stream capture",
    "streamcapture",
    "stream_capture",
    "capture sequence",
    "captured event",
    "capture_begin",
    "capture_end",
    "uncaptured",
    "capture was not",
    "graph update",
    "capturable",
    "graphed",
    "graph replay",
    "replay the graph",
    "graph.replay",
    ".replay()",
    "graph pool",
    "graph_pool",
    "private pool",
    "mempool",
    "捕获图",
    "图捕获",
    "重放",
    "捕获期间",
    "图中",
];

/// A capture is one of a graph where the same text speaks of these, too: pictures and output are captured as well.
const WORDS_BESIDE_A_CAPTURE: [&str; 7] = [
    "cuda", "nccl", "gpu", "stream", "kernel", "tensor", "replay",
];

/// What test runners write above the output of a test.
const CAPTURED_OUTPUT: [&str; 3] = ["captured std", "captured log", "capture_output"];

/// What speaks of graphs in the program's own frames, which name its files and functions.
const WORDS_OF_FRAMES: [&str; 3] = ["graph", "replay", "captur"];

/// Of these each error of a GPU has one.
const WORDS_OF_A_GPU: [&str; 8] = [
    "cuda", "hip", "nccl", "captur", "graph", "watchdog", "triton", "图",
];

/// A search for the words.
pub struct Subject {
    words: AhoCorasick,
    of_a_gpu: AhoCorasick,
    of_frames: AhoCorasick,
    of_output: AhoCorasick,
    captures: AhoCorasick,
    beside_a_capture: AhoCorasick,
}

impl Subject {
    pub fn new() -> Self {
        Subject {
            words: search(&WORDS),
            of_a_gpu: search(&WORDS_OF_A_GPU),
            of_frames: search(&WORDS_OF_FRAMES),
            of_output: search(&CAPTURED_OUTPUT),
            captures: search(&["captur"]),
            beside_a_capture: search(&WORDS_BESIDE_A_CAPTURE),
        }
    }

    /// Where the first word of an error of a GPU stands.
    pub fn first_of_a_gpu(&self, text: &[u8]) -> Option<usize> {
        self.of_a_gpu.find(text).map(|found| found.start())
    }

    /// Whether a line of the incident speaks of CUDA graphs.
    pub fn is_of(&self, incident: &Incident) -> bool {
        incident.blocks.iter().any(|block| {
            let lines = block.errors.iter().chain(&block.code).chain(&block.calls);
            let frames = block.code.iter().filter(|line| is_program_frame(line));
            lines.into_iter().any(|line| self.words.is_match(line))
                || frames.into_iter().any(|line| self.of_frames.is_match(line))
                || self.is_of_a_capture(&block.errors)
        })
    }

    /// Whether these lines speak of a capture, and of what is captured into a graph.
    fn is_of_a_capture(&self, errors: &[String]) -> bool {
        let is_capture =
            |line: &String| self.captures.is_match(line) && !self.of_output.is_match(line);
        errors.iter().any(is_capture)
            && errors
                .iter()
                .any(|line| self.beside_a_capture.is_match(line))
    }
}

fn search(words: &[&str]) -> AhoCorasick {
    AhoCorasickBuilder::new()
        .ascii_case_insensitive(true)
        .build(words)
        .expect("a few short words are no burden")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::Writer;

    fn speaks_of_graphs(error: &str, frame: &str) -> bool {
        let mut incident = Incident::new(Writer::Unknown, 1);
        incident.error(error);
        incident.frame(frame);
        Subject::new().is_of(&incident)
    }

    #[test]
    fn captures_and_replays_are_recognised() {
        let frame = "File \"train.py\", line 3, in step";
        assert!(speaks_of_graphs(
            "CUDA error: operation failed due to a previous error during capture",
            frame
        ));
        assert!(speaks_of_graphs("重放之后输出不变", frame));
        let frame = "File \"train.py\", line 3, in capture_step";
        assert!(speaks_of_graphs("CUDA out of memory", frame));
    }

    #[test]
    fn other_graphs_and_captures_are_not() {
        let autograd = "File \"/venv/lib/python3.12/site-packages/torch/autograd/graph.py\", line 8, in _engine_run_backward";
        assert!(!speaks_of_graphs("CUDA out of memory", autograd));
        assert!(!speaks_of_graphs(
            "Trying to backward through the graph a second time",
            autograd
        ));
        assert!(!speaks_of_graphs("--- Captured stdout call ---", autograd));
    }
}
