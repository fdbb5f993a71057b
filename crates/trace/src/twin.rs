//! What a captured region would do now, beside what it did at the capture.

use serde::Deserialize;

use crate::StackFrame;

/// Something that the region does not do as it did at the capture.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct TwinDifference {
    /// What kind of thing it is.
    pub kind: TwinKind,
    /// The operator at the capture; `None` where the region ended there.
    pub then: Option<TwinOperator>,
    /// The operator now; `None` where the region ends, or does not run it any more.
    pub now: Option<TwinOperator>,
    /// A number or a size as the operator was given it at the capture, as Python prints it; or the type of a tensor's elements.
    pub captured: Option<String>,
    /// The same now.
    pub eager: Option<String>,
    /// Where the storage begins that the operator was given at the capture; of a tensor that the region made at its capture and finds
    /// made now, where that begins; of other operators, that of a tensor that those of now change and the capture was not given. 0 if
    /// it is not known. Of a number in a structure: its first byte in there.
    pub address: Option<u64>,
    /// Where the storage begins that it is given now; of a tensor that the region makes, what that is made from; 0 if there is none.
    /// Of a number in a structure: which of the kernel's parameters that is, from 0.
    pub address_now: Option<u64>,
    /// The variable of the region's function or module that leads to the tensor of now, if one does. Of a number, the expression that
    /// leads to it now and led to that of the capture then, if there is just one.
    pub name: Option<String>,
    /// What the region does now with a tensor that it made at the capture, or was not given then.
    #[serde(rename = "use")]
    pub used: Option<TwinUse>,
    /// The operator that chose the part of a tensor whose size or place differs, e.g. `aten::split`.
    pub view: Option<String>,
    /// Where the program asked whether a capture runs, innermost frame first; of a region that was run as if none did.
    pub asked: Option<Vec<StackFrame>>,
}

/// What differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TwinKind {
    /// Which operators run.
    Operators,
    /// A number.
    Number,
    /// A number in a structure that a kernel is given by value.
    Field,
    /// Where in its storage a tensor begins, in elements.
    Offset,
    /// The sizes of a tensor: it is larger now in one of them.
    Size,
    /// The sizes of a tensor: those of the capture cover those of now.
    Covered,
    /// Which tensor it is.
    Tensor,
    /// An operator that ran at the capture, and does not now; the rest is the same.
    MadeOnce,
    /// A tensor that was there at the capture, and that the region makes now.
    MadeNow,
    /// What a tensor holds that the region makes in the memory of the host and copies to the GPU.
    Contents,
}

/// What a region does with a tensor that is there when it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TwinUse {
    /// Nothing that was seen.
    Unseen,
    /// It reads it.
    Read,
    /// It gives it other contents before it reads it.
    Overwritten,
    /// It changes what it holds.
    Changed,
}

/// An operator of a region.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct TwinOperator {
    /// Its name, e.g. `aten.mm.default`; that of a kernel of Triton begins with `triton::`.
    pub operator: String,
    /// Its stack, innermost frame first, without PyTorch's own.
    pub stack: Vec<StackFrame>,
}

/// What a function that a region calls was given at the capture, by its parameters but those that are left at their defaults.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct TwinArguments {
    /// The file that defines it.
    pub file: String,
    /// Its name, without the class that it is in.
    pub function: String,
    /// Whether it was given numbers, also in a list or a dictionary.
    pub numbers: bool,
    /// Whether it was given `True` or `False`.
    pub truths: bool,
    /// Whether it was given tensors.
    pub tensors: bool,
    /// The sizes of these, each once.
    pub sizes: Vec<u64>,
}

/// What the program has switched, registered or removed since the capture, for which a region does something else now.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TwinCause {
    /// A mode of PyTorch, of the process or of a module.
    Mode {
        /// What the program calls it, e.g. `model.training`.
        name: String,
        /// What it was at the capture, as Python prints it.
        captured: String,
        /// What it is now.
        eager: String,
    },
    /// A hook of a module or a tensor, in whose code the difference lies.
    Hook {
        /// Whether it is there now, and was not at the capture; else the other way round.
        added: bool,
        /// `forward_pre`, `forward`, `backward_pre`, `backward`, `tensor` or `post_accumulate_grad`.
        kind: String,
        /// The qualified name of its function, or of the class of what is called.
        hook: String,
        /// The line that registered it, if that was seen.
        registered: Option<StackFrame>,
    },
    /// Parameters that the capture used require gradients now, and did not then.
    Learns {
        /// What the program calls the first of them, if the region's variables lead to it.
        parameter: Option<String>,
        /// How many more there are.
        others: u64,
    },
}
