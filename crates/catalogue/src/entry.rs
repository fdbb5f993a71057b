//! The shape of an entry.

/// What is known about one failure mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The stable id, e.g. `CG101`. Once published it keeps its meaning.
    pub id: &'static str,
    /// The stable name, e.g. `host-sync-in-capture`.
    pub name: &'static str,
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
    /// What to change, most helpful first.
    pub fixes: &'static [Fix],
    /// What people try that does not help.
    pub dead_ends: &'static [DeadEnd],
    /// The ids of its neighbours.
    pub related: &'static [&'static str],
    /// Since when and until when it behaves so.
    pub versions: &'static [Version],
    /// Programs that were run on a real GPU.
    pub evidence: &'static [Evidence],
    /// Single calls that were made during a capture on a real GPU.
    pub probes: &'static [Probe],
}

/// A text in every language of the catalogue. A blank line separates paragraphs; there are no other line breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text {
    /// In English.
    pub english: &'static str,
}

/// A language of the catalogue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English.
    #[default]
    English,
}

impl Text {
    /// The text in a language.
    pub fn in_language(self, language: Language) -> &'static str {
        match language {
            Language::English => self.english,
        }
    }
}

/// A change that removes the cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What to do, as an imperative.
    pub title: Text,
    /// Why it works.
    pub explanation: Text,
    /// A complete Python program that shows it.
    pub code: &'static str,
    /// What it costs.
    pub cost: Text,
}

/// A change that looks like a remedy and is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeadEnd {
    /// What people try.
    pub attempt: Text,
    /// Why it does not help.
    pub reason: Text,
}

/// A fact that holds for some versions of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Product {
    /// PyTorch.
    PyTorch,
    /// The CUDA toolkit and its driver.
    Cuda,
}

impl Product {
    /// The name as its maker writes it.
    pub fn name(self) -> &'static str {
        match self {
            Product::PyTorch => "PyTorch",
            Product::Cuda => "CUDA",
        }
    }
}

/// How a fact is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// It was seen on [`crate::MEASURED_ON`].
    Measured,
    /// The product's documentation or source code says so.
    Documented,
}

/// What a program of `tests/truth/cases` did on [`crate::MEASURED_ON`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The program's name without `.py`, e.g. `c01_item`.
    pub case: &'static str,
    /// What the program shows.
    pub shows: Text,
    /// The exception that ended it; `None` if it ran to its end.
    pub exception: Option<Exception>,
    /// The first call that the driver refused, if it logged one.
    pub refused: Option<RefusedCall>,
}

/// A Python exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exception {
    /// The type as a traceback prints it, e.g. `torch.AcceleratorError`.
    pub type_name: &'static str,
    /// The first line of its message.
    pub message: &'static str,
}

/// A call that the driver refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefusedCall {
    /// The driver function, e.g. `cuStreamSynchronize`.
    pub function: &'static str,
    /// The code it returned, e.g. 900.
    pub code: i32,
}

/// What one call did while a non-blocking stream was capturing, on [`crate::MEASURED_ON`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thread {
    /// The thread that began the capture.
    Capturing,
    /// Another thread.
    Other,
}
