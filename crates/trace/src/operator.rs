//! What operators of PyTorch were given and gave back, and the blocks of its allocator.

use cgsan_model::ExecId;
use serde::Deserialize;

use crate::{FrameId, StringId};

/// The namespace of Triton's kernels.
pub const TRITON: &str = "triton";

/// The namespace of kernels that are launched past PyTorch's operators and past Triton.
pub const KERNEL: &str = "kernel";

/// A call of an operator of PyTorch, or the launch of a kernel past them.
///
/// A kernel's results are those of its arguments that it writes: a tensor where it reads nothing of it, [`Argument::Changed`]
/// where it does, and [`Argument::Used`] where what it does is not known. Its last argument is the list of the sizes of its grid, and
/// of its blocks if it is none of Triton's.
#[derive(Clone, Debug, PartialEq)]
pub struct OperatorRecord {
    /// Its name with its namespace, e.g. `aten::add`; that of a kernel is [`TRITON`] or [`KERNEL`].
    pub name: StringId,
    /// Its arguments, in the order of its schema.
    pub arguments: Vec<Argument>,
    /// The Python stack of the calling thread; `None` where it has no Python frame.
    pub stack: Option<FrameId>,
}

/// An argument or a result of an operator, as far as rules need it.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// `None`, or a tensor without memory.
    Absent,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A number with a fraction.
    Float(f64),
    /// A tensor. One without dimensions that lies in the host's memory is a number instead.
    Tensor(TensorRecord),
    /// A list of tensors or numbers; of long ones, the beginning.
    List(Vec<Argument>),
    /// Anything else: a device, a dtype, a text, a generator.
    Other,
    /// Among the results of a kernel: a tensor that it was given, and reads and writes.
    Changed(TensorRecord),
    /// Among the results of a kernel: a tensor that it was given, and reads or writes, or both. Of one that a pointer alone tells of, all
    /// but the address is unknown.
    Used(TensorRecord),
    /// An object that C++ made a class of `TorchScript`, such as a process group, by its address.
    Object(u64),
    /// In the list of what a kernel is given in a structure by value: a number.
    Field(FieldRecord),
}

/// A number in a structure that a kernel is given by value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldRecord {
    /// Its first byte in the structure.
    pub offset: u64,
    /// Whether it has a fraction.
    pub is_float: bool,
    /// Its bits: those of an [`i64`], or of an [`f64`].
    pub bits: u64,
}

/// A tensor as an operator sees it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
pub struct TensorRecord {
    /// The first byte of its storage.
    pub address: u64,
    /// The size of its storage in bytes.
    pub bytes: u64,
    /// Where in the storage it begins, in elements.
    pub offset: u64,
    /// Whether it lies in the memory of a GPU.
    pub on_gpu: bool,
    /// Its dtype, as PyTorch numbers them (`c10::ScalarType`).
    pub dtype: u8,
    /// Its sizes, outermost dimension first; of a tensor with many dimensions, the first ones.
    pub sizes: Vec<u64>,
}

/// Bytes of an element of a dtype, as PyTorch numbers them (`c10::ScalarType`); `None` where there is none of whole bytes.
pub fn element_bytes(dtype: u8) -> Option<u8> {
    const ELEMENTS: [u8; 16] = [1, 1, 2, 4, 8, 2, 4, 8, 4, 8, 16, 1, 0, 0, 0, 2];
    let bytes = ELEMENTS.get(usize::from(dtype)).copied();
    bytes.filter(|bytes| *bytes > 0)
}

impl TensorRecord {
    /// Whether it certainly has all elements of its storage.
    pub fn is_whole_storage(&self) -> bool {
        self.offset == 0 && self.range().is_some_and(|(_, bytes)| bytes == self.bytes)
    }

    /// Its first byte, and how many bytes its elements take if they lie next to each other; `None` where that is not known.
    pub fn range(&self) -> Option<(u64, u64)> {
        let element = u64::from(element_bytes(self.dtype)?);
        let mut sizes = self.sizes.iter();
        let bytes = sizes.try_fold(element, |bytes, size| bytes.checked_mul(*size))?;
        let start = self
            .address
            .checked_add(self.offset.checked_mul(element)?)?;
        Some((start, bytes))
    }
}

/// A block that PyTorch's allocator gave out or took back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockRecord {
    /// Its first byte on the device.
    pub address: u64,
    /// Its size in bytes, as the allocator rounds it.
    pub bytes: u64,
    /// The Python stack of the calling thread; `None` where it has no Python frame, or none was taken.
    pub stack: Option<FrameId>,
}

/// How much happened that was not recorded one by one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// Calls to CUDA, replays aside.
    pub calls: u64,
    /// Blocks given out or taken back.
    pub blocks: u64,
    /// Replays, by executable graph.
    pub replays: Vec<(ExecId, u64)>,
}
