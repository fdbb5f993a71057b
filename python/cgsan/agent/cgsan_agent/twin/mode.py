"""Operators of the twin: nobody computes them, and each is written down."""

import contextlib
import sys

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten

from ..kernels import access, jiterator, launches
from ..replays import frames
from . import arguments, called, compare, host, modes, views

# Operators written down: a region with more is compared up to there.
OPERATORS = 20_000
# Why it stops at what is gone.
GONE = "a variable that its code uses is gone"
# Frames kept of the stack of one.
FRAMES = 6
# Operators that have the host look at what lies on the GPU.
LOOKING = frozenset(
    f"aten::{it}"
    for it in (
        "_local_scalar_dense",
        "_unique2",
        "equal",
        "is_nonzero",
        "item",
        "masked_select",
        "nonzero",
        "unique_consecutive",
        "unique_dim",
    )
)
TRUTHS = frozenset(("aten::equal", "aten::is_nonzero"))
# A number that the host is told where it looks at one: it is this, or 0.
MANY = 1 << 20
# Operators that give a view of what they are given, though their schema has it as a new tensor.
VIEWS = frozenset(("aten::_unsafe_view", "aten::lift_fresh", "aten::_reshape_alias"))
# Operators that choose a part of a tensor by numbers.
CHOOSING = frozenset(
    f"aten::{it}"
    for it in ("as_strided", "select", "slice", "split", "split_with_sizes", "unfold", "narrow")
)
# Operators that are about streams and memory alone.
SKIPPED = frozenset(("aten::record_stream",))
# Products of matrices, whose precision for float32 is a mode.
PRODUCTS = frozenset(f"aten::{it}" for it in ("addbmm", "addmm", "baddbmm", "bmm", "mm", "mv"))
# Those that change what a tensor refers to.
REFERRING = frozenset(("aten::set_", "aten::resize_", "aten::resize_as_"))
_NO_PARTS = object()


class Stopped(BaseException):
    """The region comes to something that the twin cannot follow. No `except Exception` of the program is to see it."""


class Twin(TorchDispatchMode):
    """Writes down what operators are given, and gives results of the right form that lie nowhere."""

    def __init__(self, give, had_gradients=None, answer=None):
        super().__init__()
        # What the host is told where it looks at a truth of the GPU; None to stop there.
        self._answer = answer
        # Where the program's own code asked first if a capture runs: frames, innermost first.
        self.asked = ()
        # The modes that the program's own code asked for.
        self.asked_for = set()
        # The modules that it calls.
        self.called = called.Called()
        # What the functions that it calls are given, which is found out once.
        self.arguments = arguments.Arguments() if had_gradients is None else None
        # What gives results: a function of the operator, what it is given, and the GPU.
        self._give = give
        # Each: its name, what it is given, and its stack.
        self.operators = []
        # What structures hold that kernels are given: which operator, which parameter, the first byte there, and bytes.
        self.unknown = []
        # By expressions that lead to tensors once it has run, what made these.
        self.outputs = {}
        # Why it stopped, once it did.
        self.stopped = None
        # Whether it drew random numbers on the host.
        self.draws = False
        # Of the parameters that it uses, those that had a gradient when it began at the capture: now it is to find the same.
        # With the storage of that.
        self.had_gradients = {} if had_gradients is None else had_gradients
        self._finds_out = had_gradients is None
        # Of the tensors that it uses, those that require gradients of their own: by where they are, and their sizes.
        self.learning = {}
        # Of the parameters that it uses, those that do not.
        self.frozen = {}
        # Whether results are computed, and so the host may look at them.
        self._computes = getattr(give, "computes", False)
        self._host = host.Host(has_cuda=not getattr(give, "lies_nowhere", False))
        # The region's own code: what called it is no part of a stack.
        self.root = None
        # Which operator made what begins at an address: -1 for the first; and where that ends.
        self.made = {}
        self._ends = {}
        # What has kernels told, and no longer.
        self._stop_following = self._go_on_following = _nothing
        self._stacks = {}
        # Which operator chose a part of a tensor, and its stack, by where that begins and its sizes.
        self._views = {}

    def work(self):
        """What is compared: the operators, why these are not all, and what made the tensors that outlive it."""
        return self.operators, self.stopped, self.outputs

    def stop(self, reason):
        """Ends the region."""
        if self.stopped is None:
            self.stopped = reason
        raise Stopped(reason)

    def dispatch(self, operator, types, arguments=(), keywords=None):
        """What PyTorch calls for each operator."""
        if self.stopped is not None:
            raise Stopped(self.stopped)
        keywords = keywords or {}
        if any(_is_foreign(it) for it in types):
            return NotImplemented
        given, _ = tree_flatten((arguments, keywords))
        device = _device(given)
        if device is None:
            return self._host.run(operator, arguments, keywords, given)
        function = _python_implementation(operator)
        if function is not None:
            with self:
                return function(*arguments, **keywords)
        schema = getattr(operator, "_schema", None)
        if schema is None or len(self.operators) >= OPERATORS:
            self.stop("it runs too many operators" if schema is not None else str(operator))
        for tensor in given:
            if isinstance(tensor, torch.Tensor):
                if views.is_gone(tensor):
                    self.stop(GONE)
                self._meet_gradient(tensor, device)
        name = schema.name
        if not self._computes:
            if name in LOOKING and self._answer is not None:
                return self._look(name, arguments, given)
            self._check(name, arguments, keywords, given)
        returns = [it.alias_info for it in schema.returns]
        if name in VIEWS or (returns and all(it is not None and not it.is_write for it in returns)):
            found = self._from_parts(operator, arguments, keywords)
            return self._view(
                name, operator(*arguments, **keywords) if found is _NO_PARTS else found
            )
        if name in SKIPPED:
            return None
        if name in REFERRING:
            if name != "aten::set_":
                self.stop(f"`{name}`")
            return operator(*arguments, **keywords)
        written = _written(schema, arguments, keywords)
        self._write_down(operator, given, written)
        return self._results(operator, schema, arguments, keywords, written, device)

    def kernel(self, name, arguments, grid, accesses):
        """Writes down a kernel that the program launches past PyTorch's operators, and what it is known to do through pointers."""
        if self.stopped is not None:
            raise Stopped(self.stopped)
        if self._computes:
            self.stop(f"`{name}`")
        arguments = tree_flatten(list(arguments))[0]
        given = [launches.plain(it) for it in arguments]
        pointers = [it for it in given if isinstance(it, torch.Tensor)]
        if any(views.is_gone(it) for it in pointers):
            self.stop(GONE)
        if accesses is None or len(accesses) != len(pointers):
            accesses = [access.BOTH] * len(pointers)
        writes = {
            id(it) for it, does in zip(pointers, accesses, strict=True) if does & access.WRITES
        }
        # A kernel is given the pointer of a tensor, and its sizes only in a descriptor.
        parts = (
            self._describe(
                it, id(it) in writes, has_sizes=type(argument).__name__ == launches.DESCRIPTOR
            )
            for it, argument in zip(given, arguments, strict=True)
        )
        sizes = tuple(int(it) for it in grid if it is not None)
        self.operators.append((compare.TRITON + name, (*parts, sizes), self._stack()))

    def function(self, name, tensors, numbers, launch):
        """Writes down a function of the jiterator, whose own kernel tells nothing, and gives its results."""
        self._stop_following()
        try:
            given = launch()
        finally:
            self._go_on_following()
        results = jiterator.results(given)
        accesses = [access.READS] * len(tensors) + [access.WRITES] * len(results)
        self.kernel(name, (*tensors, *numbers, *results), (), accesses)
        return given

    def follow(self, stop=None, go_on=None):
        """Is told of launches, up to a call of the first function and again from one of the second on, if there are any."""
        if stop is not None:
            self._stop_following, self._go_on_following = stop, go_on

    def launched(self, name, words, sizes):
        """Writes down a kernel that neither an operator nor Triton launches. `words` are numbers, pairs of an address and of
        whether the kernel certainly writes there, and of what lies in structures where that is and the number or bytes."""
        if self._computes:
            self.stop(f"`{name}`")
        if self.stopped is None and len(self.operators) < OPERATORS:
            operator = len(self.operators)
            self.unknown += ((operator, *it) for it in words if _is_unknown(it))
            parts = (self._word(it) for it in words if not _is_unknown(it))
            self.operators.append((compare.KERNEL + name, (*parts, sizes), self._stack()))

    def _word(self, word):
        if type(word) is not tuple:
            return word
        return self._point(*word) if len(word) == 2 else (compare.FIELD, *word)

    def _point(self, address, is_written):
        """What is known of a tensor by a pointer."""
        if views.GONE <= address < views.END:
            self.stop(GONE)
        made = (it for it in self.made if it <= address < self._ends[it])
        start = max(made, default=None)
        if start is None:
            return address, 0, (), "", is_written, None
        return self.made[start], address - start, (), "", is_written, None

    def _from_parts(self, operator, arguments, keywords):
        """What an operator gives by other ones, if it does: in inference mode such as `reshape` come as they are, and may copy."""
        key = torch._C.DispatchKey.CompositeImplicitAutograd
        if not operator.has_kernel_for_dispatch_key(key):
            return _NO_PARTS
        with self:
            return operator.decompose(*arguments, **keywords)

    def _view(self, name, results):
        """Notes how parts of tensors were chosen."""
        if name in CHOOSING:
            view = name, self._stack()
            for it in tree_flatten(results)[0]:
                self._views[it.data_ptr(), tuple(it.shape)] = view
        return results

    def _check(self, name, arguments, keywords, given):
        if name in LOOKING:
            self.stop("the host looks at a tensor of the GPU")
        if name == "aten::copy_" and not arguments[0].is_cuda:
            waits = not (keywords.get("non_blocking") or (len(arguments) > 2 and arguments[2]))
            if waits:
                self.stop("the host waits for a tensor of the GPU")
        if name == "aten::_to_copy":
            device = keywords.get("device")
            if device is not None and device.type != "cuda" and not keywords.get("non_blocking"):
                self.stop("the host waits for a tensor of the GPU")

    def _look(self, name, arguments, given):
        """What the host is told that looks at a truth, or at a number."""
        is_truth = name in TRUTHS or arguments[0].dtype == torch.bool
        if not is_truth and name != "aten::_local_scalar_dense":
            self.stop("the host looks at a tensor of the GPU")
        self.operators.append((compare.LOOK, self._parts(given), self._stack()))
        if is_truth:
            return self._answer
        number = MANY if self._answer else 0
        return float(number) if arguments[0].is_floating_point() else number

    def _parts(self, given):
        return tuple(self._describe(it, False) for it in given)

    def _write_down(self, operator, given, written):
        writes = {id(tensor) for _, tensors in written for tensor in tensors}
        name = operator._schema.name
        parts = tuple(
            self._host.describe(name, it)
            if isinstance(it, torch.Tensor) and not it.is_cuda
            else self._describe(it, id(it) in writes)
            for it in given
        )
        if name in PRODUCTS and _is_float32(given):
            parts = (*parts, f"TF32={modes.products_use_tf32()}")
        self.operators.append((str(operator), parts, self._stack()))

    def _describe(self, value, is_written, has_sizes=True):
        kind = type(value)
        if kind in (int, bool, str) or value is None:
            return value
        if kind in (float, complex):
            return repr(value)
        if not isinstance(value, torch.Tensor):
            return kind.__name__ if kind is torch.Generator else str(value)[:80]
        if not value.is_cuda:
            return "cpu", tuple(value.shape), str(value.dtype)
        try:
            address = value.untyped_storage().data_ptr()
        except Exception:
            return "tensor", str(value.dtype)
        origin = self.made.get(address, address)
        sizes = tuple(int(it) for it in value.shape)
        view = self._views.get((value.data_ptr(), sizes))
        told = sizes if has_sizes else ()
        return (origin, int(value.storage_offset()), told, str(value.dtype), is_written, view)

    def _results(self, operator, schema, arguments, keywords, written, device):
        aliased = [_aliased(it.alias_info, written) for it in schema.returns]
        if all(it is not None for it in aliased):
            if self._computes:
                self._compute(operator, arguments, keywords, written, device)
            return aliased[0] if len(aliased) == 1 else tuple(aliased) or None
        results = self._compute(operator, arguments, keywords, written, device)
        number = len(self.operators)
        self._host.given_by_gpu(tree_flatten(results)[0])
        for it in tree_flatten(results)[0]:
            if isinstance(it, torch.Tensor) and it.is_cuda:
                storage = it.untyped_storage()
                self.made[storage.data_ptr()] = -number
                self._ends[storage.data_ptr()] = storage.data_ptr() + storage.nbytes()
        if len(aliased) == 1:
            return results
        return tuple(
            alias if alias is not None else result
            for alias, result in zip(aliased, results, strict=False)
        )

    def _compute(self, operator, arguments, keywords, written, device):
        """What an operator gives."""
        for tensors in (it for _, it in written if self._computes):
            self._give.is_to_write(it for it in tensors if self._was_there(it))
        # What an operator launches is its own.
        self._stop_following()
        try:
            return self._give(operator, arguments, keywords, device)
        except Exception as error:
            self.stop(f"`{operator}`: {type(error).__name__}")
        finally:
            self._go_on_following()

    def _was_there(self, tensor):
        """Whether a tensor lies in memory of the GPU that the region has not made."""
        return tensor.is_cuda and tensor.untyped_storage().data_ptr() not in self.made

    def _meet_gradient(self, tensor, device):
        """Has a parameter begin with a gradient if it had one at the capture: autograd adds to that, and else gives it one."""
        key = (tensor.data_ptr(), tuple(tensor.shape))
        if isinstance(tensor, torch.nn.Parameter) and not tensor.requires_grad:
            self.frozen[key] = tensor
        if not (tensor.requires_grad and tensor.is_leaf):
            return
        if key in self.learning:
            return
        self.learning[key] = tensor
        self.called.meet_parameter(tensor)
        if self._finds_out:
            if tensor.grad is not None:
                self.had_gradients[key] = tensor.grad.untyped_storage().data_ptr()
        elif key not in self.had_gradients:
            tensor.grad = None
        elif tensor.grad is None:
            # Which rules CG209 and CG222 are about: here, it stands for the one of the capture.
            tensor.grad = self._give(
                torch.ops.aten.empty_like.default, (tensor.detach(),), {}, device
            )
            storage = tensor.grad.untyped_storage()
            self.made[storage.data_ptr()] = self.had_gradients[key]
            self._ends[storage.data_ptr()] = storage.data_ptr() + storage.nbytes()

    def asked_by(self, frame):
        """The program asked if a capture runs. Libraries that ask take another way to the same result."""
        if not self.asked and frames.origin(frame.f_code.co_filename) == frames.OWN:
            self.asked = self._stack(frame)

    def mode_asked_by(self, frame, mode):
        """The program, or a library, asked for a mode."""
        if frames.origin(frame.f_code.co_filename) == frames.OWN:
            self.asked_for.add(mode)

    def _stack(self, frame=None):
        found = []
        frame = frame or sys._getframe(2)
        if self.arguments is not None:
            self.arguments.meet(frame, self.root)
        while frame is not None and len(found) < FRAMES:
            code = frame.f_code
            if frames.origin(code.co_filename) != frames.FOREIGN:
                found.append((code.co_filename, code.co_name, frame.f_lineno))
            if code is self.root:
                break
            frame = frame.f_back
        key = tuple(found)
        return self._stacks.setdefault(key, key)


# A method of this name in the class itself would be wrapped in one that loads `torch._dynamo` (`TorchDispatchMode`, 2.6 to 2.15).
Twin.__torch_dispatch__ = Twin.dispatch


def _nothing():
    return None


def _python_implementation(operator):
    """The function in Python that computes an operator of `torch.library.custom_op`, whose own operators are the program's."""
    library = sys.modules.get("torch._library.custom_ops")
    definition = library and library.OPDEFS.get(str(operator).rpartition(".")[0].replace(".", "::"))
    if definition is None:
        return None
    functions = definition._backend_fns
    return functions.get("cuda") or functions.get(None)


def _is_unknown(word):
    """Whether it is bytes of a structure that may be a number or not."""
    return type(word) is tuple and type(word[-1]) is bytes


def _is_foreign(kind):
    """Whether tensors of a class have their own way to compute."""
    if kind is torch.Tensor or kind is torch.nn.Parameter:
        return False
    return kind.__torch_dispatch__ is not torch.Tensor.__torch_dispatch__


def _is_float32(given):
    return any(isinstance(it, torch.Tensor) and it.dtype == torch.float32 for it in given)


def _device(given):
    """The GPU that an operator works on, or None."""
    for it in given:
        if isinstance(it, torch.Tensor):
            if it.is_cuda:
                return it.device
        elif isinstance(it, torch.device) and it.type == "cuda":
            index = it.index if it.index is not None else torch.cuda.current_device()
            return torch.device("cuda", index)
    return None


def _written(schema, arguments, keywords):
    """What an operator writes of what it is given: pairs of what its schema calls the memory, and the tensors."""
    found = []
    for place, argument in enumerate(schema.arguments):
        alias = argument.alias_info
        if alias is None or not alias.is_write:
            continue
        value = arguments[place] if place < len(arguments) else keywords.get(argument.name)
        tensors, _ = tree_flatten(value)
        found.append(
            ((alias.before_set, value), [it for it in tensors if isinstance(it, torch.Tensor)])
        )
    return found


def _aliased(alias, written):
    """What a result is that lies in memory which the operator was given."""
    if alias is None:
        return None
    for (names, value), _ in written:
        if names & alias.before_set:
            return value
    return None


@contextlib.contextmanager
def stops_as(twin):
    """Ends quietly where the region stopped, and notes what it raised."""
    try:
        yield
    except Stopped:
        pass
    except BaseException as error:
        if twin.stopped is None:
            twin.stopped = (
                GONE
                if isinstance(error, NameError)
                else f"its code raises {type(error).__name__} when it runs again"
            )
