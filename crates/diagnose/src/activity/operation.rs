//! Operators of PyTorch, and the memory that they touch.

use std::borrow::Cow;

use cgsan_model::{Stream, ThreadId};
use cgsan_trace::{Argument, FrameId, KERNEL, OperatorRecord, TRITON, TensorRecord, Trace};

use super::memory::BlockId;
use super::number::{Number, numbers};
use crate::kernel_name;

/// One call of an operator.
#[derive(Debug)]
pub(crate) struct Operation<'t> {
    /// Where it begins in the trace.
    pub(crate) position: usize,
    /// Where it ends; its beginning if nothing happened inside it, or its end is not known.
    pub(crate) end: usize,
    pub(crate) thread: ThreadId,
    /// Its name without the namespace, e.g. `add_`; that of a kernel with it.
    pub(crate) name: &'t str,
    pub(crate) arguments: &'t [Argument],
    pub(crate) results: &'t [Argument],
    pub(crate) stack: Option<FrameId>,
    /// The operator that called it.
    pub(crate) parent: Option<usize>,
    /// The stream that its work went to last.
    pub(crate) stream: Option<Stream>,
    /// How many pieces of work it enqueued itself, not through another operator.
    pub(crate) work: usize,
    /// The capture that recorded this work: an index into [`History::captures`](crate::history::History::captures).
    pub(crate) capture: Option<usize>,
    /// The blocks that it was given or gave, and whether it certainly writes them, if it works.
    pub(crate) touched: Box<[(BlockId, bool)]>,
}

/// A tensor that an operator reads or writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch<'t> {
    pub(crate) tensor: &'t TensorRecord,
    pub(crate) does: Does,
}

/// What is done to a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Does {
    Reads,
    Writes,
    /// It is read or written, or both: which is not known.
    Uses,
}

impl Does {
    /// Whether it certainly reads.
    pub(crate) fn reads(self) -> bool {
        self == Does::Reads
    }

    /// Whether it certainly writes.
    pub(crate) fn writes(self) -> bool {
        self == Does::Writes
    }

    pub(crate) fn may_read(self) -> bool {
        !self.writes()
    }

    pub(crate) fn may_write(self) -> bool {
        !self.reads()
    }
}

/// Operators that give their first argument new contents whatever it held.
const OVERWRITING: &[&str] = &[
    "copy_",
    "fill_",
    "zero_",
    "set_",
    "resize_",
    "normal_",
    "uniform_",
    "random_",
    "bernoulli_",
    "exponential_",
    "geometric_",
    "log_normal_",
    "cauchy_",
    "_foreach_copy_",
    "_foreach_zero_",
];

/// Operators whose lists are all written but the gradients, which come second (`torch/optim`).
const FUSED: &str = "_fused_";

/// Operators that look at the form of a tensor, or give another view of it, and never at its elements. Without the record of
/// each launch, this is what tells them from those that do.
const WITHOUT_WORK: &[&str] = &[
    "_reshape_alias",
    "_unsafe_view",
    "_version",
    "alias",
    "as_strided",
    "as_strided_",
    "chunk",
    "detach",
    "detach_",
    "diagonal",
    "empty",
    "empty_like",
    "empty_strided",
    "expand",
    "expand_as",
    "flatten",
    "is_same_size",
    "lift_fresh",
    "movedim",
    "narrow",
    "new_empty",
    "new_empty_strided",
    "permute",
    "record_stream",
    "result_type",
    "select",
    "set_",
    "size",
    "slice",
    "split",
    "split_with_sizes",
    "squeeze",
    "squeeze_",
    "stride",
    "t",
    "t_",
    "transpose",
    "transpose_",
    "unbind",
    "unflatten",
    "unfold",
    "unsafe_chunk",
    "unsafe_split",
    "unsqueeze",
    "unsqueeze_",
    "view",
    "view_as",
    "view_as_complex",
    "view_as_real",
];

/// Operators that multiply matrices through cuBLAS.
const MATRIX_PRODUCTS: &[&str] = &[
    "_addmm_activation",
    "_scaled_mm",
    "addbmm",
    "addmm",
    "addmv",
    "baddbmm",
    "bmm",
    "dot",
    "linear",
    "mm",
    "mv",
];

/// Operators that are given a tensor for its sizes alone, by the place of that argument (`derivatives.yaml`,
/// `native_functions.yaml` of PyTorch 2.11).
const FOR_ITS_SIZES: &[(&str, usize)] = &[
    ("max_pool2d_with_indices_backward", 1),
    ("max_pool3d_with_indices_backward", 1),
    ("nll_loss_backward", 1),
    ("nll_loss2d_backward", 1),
    ("new_zeros", 0),
    ("new_ones", 0),
    ("new_full", 0),
    ("zeros_like", 0),
    ("ones_like", 0),
    ("full_like", 0),
    ("rand_like", 0),
    ("randn_like", 0),
    ("randint_like", 0),
];

/// Operators that give back a tensor as they were given it, by the place of that argument: cuDNN's buffer of weights
/// (`aten/src/ATen/native/cudnn/RNN.cpp` of PyTorch 2.11).
const GIVEN_BACK: &[(&str, usize)] = &[("_cudnn_rnn", 3)];

impl<'t> Operation<'t> {
    pub(crate) fn begin(
        trace: &'t Trace,
        position: usize,
        thread: ThreadId,
        record: &'t OperatorRecord,
        results: &'t [Argument],
        parent: Option<usize>,
    ) -> Operation<'t> {
        let name = trace.string(record.name);
        Operation {
            position,
            end: position,
            thread,
            name: if is_kernel(name) {
                name
            } else {
                name.rsplit("::").next().unwrap_or(name)
            },
            arguments: &record.arguments,
            results,
            stack: record.stack,
            parent,
            stream: None,
            work: 0,
            capture: None,
            touched: Box::default(),
        }
    }

    /// What a person calls it.
    pub(crate) fn called(&self) -> Cow<'t, str> {
        if self.is_kernel() {
            kernel_name::in_source(self.name)
        } else {
            self.name.into()
        }
    }

    /// Whether it is a kernel that was launched past PyTorch's operators, whose name tells nothing of what it does.
    pub(crate) fn is_kernel(&self) -> bool {
        is_kernel(self.name)
    }

    /// Whether it would be seen as well if it ran eagerly. On a real GPU, kernels past PyTorch's operators and Triton are seen in captures
    /// alone, which so say nothing of what differs from eager calls.
    pub(crate) fn is_seen_eagerly(&self, trace: &Trace) -> bool {
        trace.process().virtual_gpu || namespace(self.name) != Some(KERNEL)
    }

    /// What it is given, without the grid of a kernel.
    pub(crate) fn given(&self) -> &'t [Argument] {
        match self.arguments.split_last() {
            Some((_, given)) if self.is_kernel() => given,
            _ => self.arguments,
        }
    }

    /// The sizes of the tensors that it is given, and of the grid of a kernel.
    pub(crate) fn sizes(&self) -> Vec<u64> {
        let of_tensors = tensors(self.arguments).flat_map(|tensor| tensor.sizes.iter().copied());
        let grid = &self.arguments[self.given().len()..];
        let of_grid = numbers(grid).into_iter().filter_map(Number::size);
        of_tensors.chain(of_grid).collect()
    }

    /// Whether its name says that it changes its first argument.
    fn changes_its_first(&self) -> bool {
        self.name.ends_with('_') && !self.is_kernel()
    }

    /// Whether it has cuBLAS multiply matrices, for which PyTorch keeps a workspace (`CublasHandlePool.cpp`).
    pub(crate) fn is_matrix_product(&self) -> bool {
        MATRIX_PRODUCTS.contains(&self.name)
    }

    /// Whether it copies from tensors of a device to tensors of a device.
    pub(crate) fn is_copy_on_device(&self) -> bool {
        self.is_copy() && tensors(self.arguments).all(|tensor| tensor.on_gpu)
    }

    /// Whether it copies tensors, the second of its arguments, to others, the first.
    pub(crate) fn is_copy(&self) -> bool {
        matches!(self.name, "copy_" | "_foreach_copy_")
    }

    /// Whether it looks at elements of tensors, or changes them, as far as its name tells.
    pub(crate) fn may_work(&self) -> bool {
        WITHOUT_WORK.binary_search(&self.name).is_err()
    }

    /// Whether it changes a tensor that it is given: in place, or as the place for its results, which comes behind the inputs.
    /// What gives back its first argument otherwise gives a view of it, or the tensor itself.
    pub(crate) fn writes_what_it_is_given(&self) -> bool {
        if self.is_kernel() {
            return !self.results.is_empty();
        }
        let in_place = self.changes_its_first();
        let first = self.arguments.first();
        let is_first = |result: &TensorRecord| {
            first.is_some_and(|first| {
                tensors(std::slice::from_ref(first)).any(|it| it.address == result.address)
            })
        };
        self.may_work() && (in_place || !tensors(self.results).any(is_first))
    }

    /// Whether it is given, or gives back, a tensor of the storage that begins there.
    pub(crate) fn handles(&self, address: u64) -> bool {
        let mut handled = tensors(self.arguments).chain(tensors(self.results));
        handled.any(|tensor| tensor.address == address)
    }

    /// The tensors whose elements it reads, then those that it writes, and those of which it may do both.
    pub(crate) fn touches(&self) -> Vec<Touch<'t>> {
        let mut touches = Vec::new();
        let in_place = self.changes_its_first();
        let is_whole = |result: &&Argument| !matches!(result, Argument::Changed(_));
        let results: Vec<&TensorRecord> = self
            .results
            .iter()
            .filter(is_whole)
            .flat_map(|result| tensors(std::slice::from_ref(result)))
            .filter(|result| !self.gives_back(result))
            .collect();
        let is_result = |tensor: &TensorRecord| {
            results
                .iter()
                .any(|result| result.address == tensor.address && result.offset == tensor.offset)
        };
        let is_used =
            |tensor: &TensorRecord| self.used().any(|used| used.address == tensor.address);
        for (place, argument) in self.arguments.iter().enumerate() {
            let only_written = if in_place {
                place == 0 && OVERWRITING.contains(&self.name)
            } else {
                false
            };
            if only_written || FOR_ITS_SIZES.contains(&(self.name, place)) {
                continue;
            }
            let given = tensors(std::slice::from_ref(argument));
            // What is given and given back by an operator that is not in place is where the results go: `out=`.
            touches.extend(
                given
                    .filter(|tensor| in_place || !(is_result(tensor) || is_used(tensor)))
                    .map(|tensor| Touch {
                        tensor,
                        does: Does::Reads,
                    }),
            );
        }
        let written = self.written().map(|tensor| (tensor, Does::Writes));
        let used = self.used().map(|tensor| (tensor, Does::Uses));
        touches.extend(
            written
                .chain(used)
                .map(|(tensor, does)| Touch { tensor, does }),
        );
        touches
    }

    /// Whether it gives a tensor back as it was given it.
    fn gives_back(&self, result: &TensorRecord) -> bool {
        let mut places = GIVEN_BACK.iter().filter(|(name, _)| *name == self.name);
        places.any(|(_, place)| {
            let given = self.arguments.get(*place).map(std::slice::from_ref);
            tensors(given.unwrap_or_default()).any(|it| it.address == result.address)
        })
    }

    /// The tensors that it reads or writes: which is not known.
    fn used(&self) -> impl Iterator<Item = &'t TensorRecord> {
        self.results.iter().filter_map(|result| match result {
            Argument::Used(tensor) => Some(tensor),
            _ => None,
        })
    }

    /// The tensors that it writes.
    pub(crate) fn written(&self) -> impl Iterator<Item = &'t TensorRecord> {
        let in_place = self.changes_its_first();
        let is_fused = self.name.starts_with(FUSED);
        let changed = self
            .arguments
            .iter()
            .enumerate()
            .filter(move |(place, argument)| {
                in_place
                    && if is_fused {
                        *place != 1 && matches!(argument, Argument::List(_))
                    } else {
                        *place == 0
                    }
            });
        changed
            .flat_map(|(_, argument)| tensors(std::slice::from_ref(argument)))
            .chain(tensors(self.results).filter(|result| !self.gives_back(result)))
    }
}

fn is_kernel(name: &str) -> bool {
    matches!(namespace(name), Some(TRITON | KERNEL))
}

/// What stands before the name of a kernel.
fn namespace(name: &str) -> Option<&str> {
    name.split_once("::").map(|(namespace, _)| namespace)
}

/// The tensors among arguments or results, those in lists included.
pub(crate) fn tensors(arguments: &[Argument]) -> impl Iterator<Item = &TensorRecord> {
    arguments.iter().flat_map(|argument| {
        let elements = match argument {
            Argument::List(elements) => elements.as_slice(),
            single => std::slice::from_ref(single),
        };
        elements.iter().filter_map(|element| match element {
            Argument::Tensor(tensor) | Argument::Changed(tensor) => Some(tensor),
            _ => None,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tensor(address: u64) -> Argument {
        Argument::Tensor(TensorRecord {
            address,
            bytes: 4,
            offset: 0,
            on_gpu: true,
            dtype: 6,
            sizes: vec![1],
        })
    }

    fn touched(name: &str, arguments: &[Argument], results: &[Argument]) -> Vec<(u64, bool)> {
        let operation = Operation {
            position: 0,
            end: 0,
            thread: ThreadId(1),
            name,
            arguments,
            results,
            stack: None,
            parent: None,
            stream: None,
            work: 1,
            capture: None,
            touched: Box::default(),
        };
        operation
            .touches()
            .iter()
            .filter(|touch| touch.does != Does::Uses)
            .map(|touch| (touch.tensor.address, touch.does.writes()))
            .collect()
    }

    #[test]
    fn arguments_are_read_and_results_written() {
        let read_and_written = touched("add", &[tensor(1), tensor(2)], &[tensor(3)]);
        assert_eq!(read_and_written, [(1, false), (2, false), (3, true)]);
    }

    #[test]
    fn an_operator_in_place_reads_what_it_does_not_overwrite() {
        let added = touched("add_", &[tensor(1), tensor(2)], &[]);
        assert_eq!(added, [(1, false), (2, false), (1, true)]);
        let copied = touched("copy_", &[tensor(1), tensor(2)], &[]);
        assert_eq!(copied, [(2, false), (1, true)]);
    }

    #[test]
    fn where_results_are_to_go_is_not_read() {
        let into = touched("mm", &[tensor(1), tensor(2), tensor(3)], &[tensor(3)]);
        assert_eq!(into, [(1, false), (2, false), (3, true)]);
    }

    #[test]
    fn what_is_given_back_is_not_written() {
        let given = [
            tensor(1),
            Argument::List(vec![tensor(2)]),
            Argument::Integer(4),
            tensor(3),
        ];
        let run = touched("_cudnn_rnn", &given, &[tensor(4), tensor(3)]);
        assert_eq!(run, [(1, false), (2, false), (3, false), (4, true)]);
    }

    #[test]
    fn a_kernel_writes_what_it_was_seen_to() {
        let record = |address| match tensor(address) {
            Argument::Tensor(tensor) => tensor,
            _ => unreachable!(),
        };
        let results = [tensor(2), Argument::Changed(record(3))];
        let launched = touched(
            "triton::zero_",
            &[tensor(1), tensor(2), tensor(3)],
            &results,
        );
        assert_eq!(launched, [(1, false), (3, false), (2, true), (3, true)]);
    }

    #[test]
    fn what_a_kernel_only_uses_is_neither_read_nor_written() {
        let used = match tensor(2) {
            Argument::Tensor(tensor) => Argument::Used(tensor),
            _ => unreachable!(),
        };
        let given = [tensor(1), tensor(2), Argument::List(Vec::new())];
        assert_eq!(touched("kernel::add_", &given, &[used]), [(1, false)]);
    }

    #[test]
    fn a_fused_optimizer_reads_gradients_and_writes_all_else() {
        let list = |address| Argument::List(vec![tensor(address)]);
        let stepped = touched("_fused_adamw_", &[list(1), list(2), list(3)], &[]);
        let written: Vec<u64> = stepped.iter().filter(|it| it.1).map(|it| it.0).collect();
        assert_eq!(written, [1, 3]);
    }

    #[test]
    fn names_are_looked_up_in_order() {
        assert!(WITHOUT_WORK.is_sorted());
    }
}
