//! The shape of an entry, in Rust and as JSON.

use serde::Serialize;

use crate::versions::Case;

/// What is known about one failure mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// The stable id, e.g. `CG101`. Once published it keeps its meaning.
    pub id: &'static str,
    /// The stable name, e.g. `host-sync-in-capture`.
    pub name: &'static str,
    /// Other names under which it was published, e.g. `cuda/cudagraph-memory-pool-mismatch`.
    pub aliases: &'static [&'static str],
    /// The CUDA error codes it shows up with; empty where PyTorch refuses before CUDA is asked.
    pub codes: &'static [i32],
    /// What it is, in a few words.
    pub title: Text,
    /// What happened.
    pub summary: Text,
    /// Why it is refused.
    pub cause: Text,
    /// What tells it from its neighbours, which it names.
    pub signal: Text,
    /// A question that can be answered by looking or by a small change; a yes speaks for this entry.
    pub question: Text,
    /// Words that people use for it beside those of its texts, in both languages: for a search, not for reading.
    #[serde(skip)]
    pub words: &'static str,
    /// Texts by which people meet it.
    pub patterns: &'static [Pattern],
    /// What to change, most helpful first.
    pub fixes: &'static [Fix],
    /// What people try that does not help.
    pub dead_ends: &'static [DeadEnd],
    /// The ids that it is easily taken for.
    pub related: &'static [&'static str],
    /// The ids that follow from it.
    pub leads_to: &'static [&'static str],
    /// The ids that it follows from.
    pub comes_from: &'static [&'static str],
    /// Since when and until when it behaves so.
    pub versions: &'static [Version],
    /// Where it is documented.
    pub sources: &'static [Source],
    /// Programs that were run on a real GPU.
    pub evidence: &'static [Evidence],
    /// Single calls that were made during a capture on a real GPU.
    pub probes: &'static [Probe],
    /// What the programs of `examples/` did in each version of PyTorch.
    pub cases: &'static [Case],
    /// Why no program shows it, where none does.
    pub no_program: Option<Text>,
    /// The version of PyTorch from which on it no longer happens, e.g. `2.2`.
    pub gone_since: Option<&'static str>,
}

impl Entry {
    /// The programs of its fixes and dead ends.
    pub fn programs(&self) -> impl Iterator<Item = Program> {
        let fixes = self.fixes.iter().map(|fix| fix.proof);
        let dead_ends = self.dead_ends.iter().map(|dead_end| dead_end.proof);
        fixes.chain(dead_ends).filter_map(Proof::program)
    }

    /// How its programs fared on each machine that ran any of them: real GPUs first.
    pub fn tallies(&self) -> Vec<Tally> {
        let mut machines: Vec<(bool, &str, u32)> = self
            .programs()
            .flat_map(|program| program.runs)
            .map(|run| (run.gpus == 0, run.machine, run.gpus))
            .collect();
        machines.sort_unstable();
        machines.dedup();
        let tally = |(_, machine, gpus)| {
            let on_it = |program: &Program| program.runs.iter().any(|run| run.machine == machine);
            Tally {
                machine,
                gpus,
                held: self.programs().filter(on_it).count(),
                programs: self
                    .programs()
                    .filter(|program| program.is_decided_by(gpus))
                    .count(),
            }
        };
        machines.into_iter().map(tally).collect()
    }
}

/// How many programs of an entry did what it claims, on one machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tally {
    /// The versions and the GPU.
    pub machine: &'static str,
    /// How many real GPUs it has: none, where the GPU was the virtual one.
    pub gpus: u32,
    /// How many programs did what is claimed.
    pub held: usize,
    /// How many programs such a machine can decide.
    pub programs: usize,
}

/// A text in every language of the catalogue. A blank line separates paragraphs; there are no other line breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Text {
    /// In English.
    #[serde(rename = "en")]
    pub english: &'static str,
    /// In Chinese.
    #[serde(rename = "zh")]
    pub chinese: &'static str,
}

/// A language of the catalogue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Chinese, in simplified characters.
    Chinese,
}

impl Language {
    /// The language of a locale such as `zh_CN.UTF-8`.
    pub fn of_locale(locale: &str) -> Language {
        if locale.to_ascii_lowercase().starts_with("zh") {
            Language::Chinese
        } else {
            Language::English
        }
    }
}

impl Text {
    /// The text in a language.
    pub fn in_language(self, language: Language) -> &'static str {
        match language {
            Language::English => self.english,
            Language::Chinese => self.chinese,
        }
    }
}

/// A text by which people meet a failure mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Pattern {
    /// Where it stands.
    #[serde(rename = "where")]
    pub place: Place,
    /// A regular expression for a part of one line.
    pub matches: &'static str,
    /// What else the same incident must show.
    pub with: &'static [Condition],
    /// What the same incident must not show.
    pub without: &'static [Condition],
    /// How strongly it speaks for the failure mode: from 1, hardly, to 100, certainly.
    pub weight: u8,
    /// Whether programs without graphs print it too: then it counts only in a text that speaks of graphs, or that is too
    /// short to say.
    pub common: bool,
    /// Why it speaks for it.
    pub reason: Text,
}

/// A further text in the same incident.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Condition {
    /// Where it stands.
    #[serde(rename = "where")]
    pub place: Place,
    /// A regular expression for a part of one line.
    pub matches: &'static str,
}

/// A regular expression of the patterns, with what can be looked for before it is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expression {
    /// The expression.
    pub text: &'static str,
    /// Texts in lower case of which every match has at least one, in any case; empty if there are none.
    pub literals: &'static [&'static str],
}

/// What kind of line a pattern is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// The line of an exception, or a line of a log.
    Error,
    /// A source line that a traceback shows.
    Code,
    /// A function of CUDA that a driver's log or a message names.
    Call,
}

/// A change that removes the cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Fix {
    /// What to do, as an imperative.
    pub title: Text,
    /// Why it works.
    pub explanation: Text,
    /// What shows that it does.
    pub proof: Proof,
    /// What it costs.
    pub cost: Text,
}

/// A change that looks like a remedy and is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct DeadEnd {
    /// What people try.
    pub attempt: Text,
    /// Why it does not help.
    pub reason: Text,
    /// What shows that it does not.
    pub proof: Proof,
}

/// What a claim rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Proof {
    /// A program that ends well for a fix, and with a failure for a dead end.
    Program(Program),
    /// No program shows it; why not.
    Untested(Text),
}

impl Proof {
    /// The program that shows it.
    pub fn program(self) -> Option<Program> {
        match self {
            Proof::Program(program) => Some(program),
            Proof::Untested(_) => None,
        }
    }
}

/// A complete Python program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Program {
    /// Its file, from the root of the repository.
    pub path: &'static str,
    /// Its text.
    pub source: &'static str,
    /// Whether only a real GPU can decide it.
    pub needs_gpu: bool,
    /// How many processes it is about, each with a GPU of its own.
    pub ranks: u32,
    /// Where it was run as it is now, and did what is claimed.
    pub runs: &'static [Run],
}

impl Program {
    /// Whether a machine with so many real GPUs, none for the virtual one, can decide it.
    pub fn is_decided_by(&self, gpus: u32) -> bool {
        match gpus {
            0 => !self.needs_gpu,
            gpus => self.ranks <= gpus,
        }
    }
}

/// A run of a [`Program`] that bore out what it is to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Run {
    /// The versions and the GPU.
    pub machine: &'static str,
    /// How many real GPUs it has: none, where the GPU was the virtual one.
    pub gpus: u32,
    /// How it ended, e.g. `AssertionError: the replay read the old input`.
    pub outcome: &'static str,
}

/// A page of the official documentation, or a file of a product's source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Source {
    /// What it is.
    pub title: &'static str,
    /// Where it is.
    pub url: &'static str,
}

/// A fact that holds for some versions of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Version {
    /// Whose versions.
    pub product: Product,
    /// The first version it holds for, `None` if there is none that it does not hold for; the version that was
    /// measured, for a measured fact.
    pub from: Option<&'static str>,
    /// The first version it no longer holds for; `None` if it still does.
    pub until: Option<&'static str>,
    /// How it is known.
    pub basis: Basis,
    /// The fact.
    pub fact: Text,
}

/// A product with versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Product {
    /// PyTorch.
    PyTorch,
    /// The CUDA toolkit and its driver.
    Cuda,
    /// NVIDIA's library of collectives.
    Nccl,
    /// The vLLM server.
    Vllm,
    /// NVIDIA's TensorRT-LLM server.
    #[serde(rename = "tensorrt-llm")]
    TensorRtLlm,
}

impl Product {
    /// The name as its maker writes it.
    pub fn name(self) -> &'static str {
        match self {
            Product::PyTorch => "PyTorch",
            Product::Cuda => "CUDA",
            Product::Nccl => "NCCL",
            Product::Vllm => "vLLM",
            Product::TensorRtLlm => "TensorRT-LLM",
        }
    }
}

/// How a fact is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// It was seen on a [`Machine`].
    Measured,
    /// The product's documentation, source code, release notes or pull requests say so.
    Documented,
}

/// What a program under `tests/truth` did on a real GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Evidence {
    /// The program's name without `.py`, e.g. `c01_item`.
    pub case: &'static str,
    /// Where it ran.
    pub machine: Machine,
    /// What the program shows.
    pub shows: Text,
    /// The exception that ended it; `None` if it ran to its end.
    pub exception: Option<Exception>,
    /// The first call that the driver refused, if it logged one.
    pub refused: Option<RefusedCall>,
}

/// Where programs were recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machine {
    /// One GPU: `tests/truth/cases` and `tests/truth/more`.
    H100,
    /// Two GPUs and two ranks: `tests/truth/multi`.
    TwoH200,
}

impl Machine {
    /// The GPU and the versions.
    pub fn name(self) -> &'static str {
        match self {
            Machine::H100 => "NVIDIA H100 80GB, driver 580.159.04, CUDA 13.0, PyTorch 2.11.0+cu130",
            Machine::TwoH200 => "two NVIDIA H200, PyTorch 2.11.0+cu130",
        }
    }
}

impl Serialize for Machine {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// A Python exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Exception {
    /// The type as a traceback prints it, e.g. `torch.AcceleratorError`.
    pub type_name: &'static str,
    /// The first line of its message.
    pub message: &'static str,
}

/// A call that the driver refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RefusedCall {
    /// The driver function, e.g. `cuStreamSynchronize`.
    pub function: &'static str,
    /// The code it returned, e.g. 900.
    pub code: i32,
}

/// What one call did while a non-blocking stream was capturing, on [`Machine::H100`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Probe {
    /// The call, with `@stream` where a stream matters, e.g. `cudaStreamQuery@capturing`.
    pub call: &'static str,
    /// The mode of the capture.
    pub mode: Mode,
    /// Who called.
    pub thread: Thread,
    /// What the call returned.
    pub code: i32,
    /// What `cudaStreamEndCapture` returned afterwards.
    pub end: i32,
}

/// The mode of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// `cudaStreamCaptureModeGlobal`.
    Global,
    /// `cudaStreamCaptureModeThreadLocal`.
    ThreadLocal,
    /// `cudaStreamCaptureModeRelaxed`.
    Relaxed,
}

impl Mode {
    /// The name as `capture_error_mode` takes it.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Global => "global",
            Mode::ThreadLocal => "thread_local",
            Mode::Relaxed => "relaxed",
        }
    }
}

/// A thread, relative to a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Thread {
    /// The thread that began the capture.
    Capturing,
    /// Another thread.
    Other,
}
