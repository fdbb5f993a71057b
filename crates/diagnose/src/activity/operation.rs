//! Operators of PyTorch, and the memory that they touch.

use std::borrow::Cow;

use cgsan_model::{Stream, ThreadId};
use cgsan_operators::Facts;
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
    /// What PyTorch's schemas tell of it, if it is an operator of theirs.
    facts: Option<Facts>,
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

    /// What a graph does, would do and did, as far as that is known.
    pub(crate) fn verbs(self) -> [&'static str; 3] {
        match self {
            Does::Reads => ["reads", "read", "read"],
            Does::Writes => ["writes", "write", "wrote"],
            Does::Uses => ["uses", "use", "used"],
        }
    }

    pub(crate) fn may_read(self) -> bool {
        !self.writes()
    }

    pub(crate) fn may_write(self) -> bool {
        !self.reads()
    }
}

/// Operators that give their first argument new contents whatever it held, which no schema tells.
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

/// Operators of optimizers that are given gradients second, and write them only where they undo a scale (`torch/optim`): the place of
/// gradients in them.
const FUSED: (&str, usize) = ("_fused_", 1);

/// Operators that look at no element and change none, though their schemas say otherwise: new memory without contents, views that
/// autograd is to take for copies, and a note to the allocator.
const WITHOUT_WORK: &[&str] = &[
    "_unsafe_view",
    "empty",
    "empty_like",
    "empty_strided",
    "new_empty",
    "new_empty_strided",
    "record_stream",
    "unsafe_chunk",
    "unsafe_split",
    "unsafe_split_with_sizes",
];

/// Operators that give the tensor itself, and of which PyTorch's `tolist()` and `numpy()` are made: the host reads it next.
const BEFORE_READS: &[&str] = &["resolve_conj", "resolve_neg"];

/// Operators that change what a tensor refers to, and no element (PyTorch's tag `inplace_view`, and `detach_`).
const REFERRING: &[&str] = &[
    "as_strided_",
    "detach_",
    "set_",
    "squeeze_",
    "swapaxes_",
    "swapdims_",
    "t_",
    "transpose_",
    "unsqueeze_",
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
        let short = if is_kernel(name) {
            name
        } else {
            name.rsplit("::").next().unwrap_or(name)
        };
        Operation {
            position,
            end: position,
            thread,
            name: short,
            facts: cgsan_operators::facts(short),
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

    /// Whether it changes what it is given at a place. Of an operator that PyTorch has not, the name says so.
    fn changes(&self, place: usize) -> bool {
        if self.is_kernel() || self.name == "record_stream" || (self.is_fused() && place == FUSED.1)
        {
            return false;
        }
        match self.facts {
            Some(facts) => facts.writes(place),
            None => place == 0 && self.name.ends_with('_'),
        }
    }

    /// Whether it changes anything that it is given.
    fn is_in_place(&self) -> bool {
        (0..self.arguments.len()).any(|place| self.changes(place))
    }

    fn is_fused(&self) -> bool {
        self.name.starts_with(FUSED.0)
    }

    /// Whether the host gets elements of a tensor by it.
    pub(crate) fn reads_elements(&self) -> bool {
        self.name == "is_nonzero" || self.facts.is_some_and(Facts::reads_elements)
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

    /// Whether it looks at elements of tensors, or changes them, as far as its schema tells. Without the record of each launch, this
    /// is what tells operators that do from those that do not.
    pub(crate) fn may_work(&self) -> bool {
        let is_asked = self.facts.is_some_and(Facts::is_asked) && !self.reads_elements();
        let is_known = WITHOUT_WORK.contains(&self.name) || REFERRING.contains(&self.name);
        !(is_asked || is_known || self.gives_views_alone())
    }

    /// Whether all that it gives lies in the memory of what it is given, without a copy.
    fn gives_views_alone(&self) -> bool {
        let given =
            |result: &TensorRecord| tensors(self.arguments).any(|it| it.address == result.address);
        self.facts.is_some_and(Facts::gives_views)
            && !BEFORE_READS.contains(&self.name)
            && tensors(self.results).all(given)
    }

    /// Whether it changes a tensor that it is given: in place, or as the place for its results, which comes behind the inputs.
    /// What gives back its first argument otherwise gives a view of it, or the tensor itself.
    pub(crate) fn writes_what_it_is_given(&self) -> bool {
        if self.is_kernel() {
            return !self.results.is_empty();
        }
        let in_place = self.is_in_place();
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
        let in_place = self.is_in_place();
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
            let only_written = place == 0 && in_place && OVERWRITING.contains(&self.name);
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
        let changed =
            { self.arguments.iter().enumerate() }.filter(|(place, _)| self.changes(*place));
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
            facts: cgsan_operators::facts(name),
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
    fn a_fused_optimizer_reads_gradients_and_steps_and_writes_all_else() {
        let list = |address| Argument::List(vec![tensor(address)]);
        let lists = [list(1), list(2), list(3), list(4), list(5), list(6)];
        let stepped = touched("_fused_adamw_", &lists, &[]);
        let written: Vec<u64> = stepped.iter().filter(|it| it.1).map(|it| it.0).collect();
        assert_eq!(written, [1, 3, 4, 5]);
    }

    #[test]
    fn what_is_changed_need_not_come_first() {
        let found = [Argument::List(vec![tensor(1)]), tensor(2), tensor(3)];
        let scaled = touched("_amp_foreach_non_finite_check_and_unscale_", &found, &[]);
        let written: Vec<u64> = scaled.iter().filter(|it| it.1).map(|it| it.0).collect();
        assert_eq!(written, [1, 2]);
    }

    #[test]
    fn an_operator_that_pytorch_has_not_changes_its_first_if_its_name_says_so() {
        let stepped = touched("my_step_", &[tensor(1), tensor(2)], &[]);
        assert_eq!(stepped, [(1, false), (2, false), (1, true)]);
    }
}
