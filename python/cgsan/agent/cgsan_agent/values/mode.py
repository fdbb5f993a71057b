"""The mode in which PyTorch's operators run on the virtual GPU and are computed on the CPU."""

import contextlib
import ctypes
import functools
import sys

import torch
from torch.utils._python_dispatch import TorchDispatchMode, _pop_mode, _push_mode
from torch.utils._pytree import tree_leaves, tree_map

from .. import exceptions
from . import indexing, random_numbers
from .computation import Computation
from .memory import is_on_gpu, with_memory
from .parts import BY_PARTS

# What `cgsan_values_end` says of an operator's values: that there are none to compute, or when they are computed.
NOTHING, NOW, ONCE, AT_REPLAYS = range(4)
# Added where it moved bytes and computed nothing.
MOVED = 8

COMPOSITE = torch._C.DispatchKey.CompositeImplicitAutograd
PLAIN = (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer)

# Computations that are still to be done, by number. Those of captures stay as long as the process: nobody says when a
# graph's last executable one is gone.
_waiting = {}
_numbers = iter(range(1, 1 << 62))

# Operators that were told of as not computed, and those that are known to be computed, in whichever thread.
_told = set()
_computed = set()

# What PyTorch does to operators above this mode, and what it asks modes: it would do so again where a thread computes for
# another, or in the middle of something else.
ABOVE = torch._C._dispatch_keyset_full() - torch._C._dispatch_keyset_full_after(
    torch._C.DispatchKey.Python
)


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _run(number):
    waiting = _waiting.get(number)
    if waiting is not None:
        with beneath_autograd():
            waiting.run()
        if waiting.once:
            del _waiting[number]


def leave(computation, when, recorder):
    """Has it computed when it is its turn: once, or at each replay of the capture that it is of."""
    number = next(_numbers)
    computation.once = when == ONCE
    # It may be computed before this has returned.
    _waiting[number] = computation
    capture = recorder.values_later(_run, number)
    if when == AT_REPLAYS:
        computation.belongs_to(capture, recorder)


def launched(recorder, computation, when):
    """Has a launch computed that is of no operator, now or when it is its turn."""
    when %= MOVED
    if when == NOW:
        with beneath_autograd():
            computation.run()
    elif when != NOTHING:
        leave(computation, when, recorder)


@contextlib.contextmanager
def beneath_autograd():
    """Computes as in an operator: without autograd, modes of the program, and what else is above this mode."""
    with torch._C._ExcludeDispatchKeyGuard(ABOVE), torch._C.DisableTorchFunction():
        yield


def enter_beneath(mode):
    """Makes this thread's operators pass through `mode` after all modes that the program has entered."""
    above = []
    while torch._C._len_torch_dispatch_stack():
        above.append(_pop_mode())
    for it in [mode, *reversed(above)]:
        _push_mode(it)


def compute_what_is_printed(mode):
    """Computes what PyTorch asks of a tensor to print it, for which it puts all modes aside."""
    printing = torch._tensor_str._str_intern

    @functools.wraps(printing)
    def print_with_values(*arguments, **keywords):
        _push_mode(mode)
        try:
            return printing(*arguments, **keywords)
        finally:
            _pop_mode()

    torch._tensor_str._str_intern = print_with_values


class Values(TorchDispatchMode):
    """Lets each operator do on the virtual GPU what it does there, and has its values computed in its stream's order."""

    supports_higher_order_operators = True

    def __init__(self, recorder, report=None):
        super().__init__()
        self._recorder = recorder
        # Where the results of this run are compared with those of another.
        self._report = report

    def __torch_dispatch__(self, function, types, arguments=(), keywords=None):
        keywords = keywords or {}
        if not isinstance(function, torch._ops.OpOverload):
            return function(*arguments, **keywords)
        given = tree_leaves((arguments, keywords))
        tensors = [it for it in given if isinstance(it, torch.Tensor)]
        if not all(type(it) in PLAIN for it in tensors):
            return function(*arguments, **keywords)
        if any(it._is_zerotensor() for it in tensors):
            with self:
                arguments, keywords = tree_map(with_memory, (arguments, keywords))
        if function.has_kernel_for_dispatch_key(COMPOSITE):
            # In inference mode, operators come here that are made of others.
            with self:
                return function.decompose(*arguments, **keywords)
        if function.namespace == "c10d" and any(map(is_on_gpu, tensors)):
            # What a collective calls before and after itself.
            with self:
                return function._op_dk(torch._C.DispatchKey.CUDA, *arguments, **keywords)
        if function in BY_PARTS and any(map(is_on_gpu, tensors)):
            with self:
                results = BY_PARTS[function](*arguments, **keywords)
            if results is not NotImplemented:
                return results
        capturing = self._recorder.in_capture(torch.cuda.current_stream().cuda_stream)
        if not capturing:
            arguments = indexing.with_positions(function, arguments, self._recorder)
        source = None
        if random_numbers.draws(function):
            generator = random_numbers.generator_of(given, filter(is_on_gpu, tensors))
            source = random_numbers.Source(generator, capturing)
        self._recorder.values_begin()
        results = function(*arguments, **keywords)
        return self._compute(function, arguments, keywords, results, source)

    def _compute(self, function, arguments, keywords, results, source):
        when = self._recorder.values_end()
        moves = when >= MOVED
        when %= MOVED
        if self._report is not None and when == NOTHING:
            self._report.on_host(function, (arguments, keywords), results)
        if when == NOTHING or (moves and self._report is None):
            return results
        is_later = when != NOW
        stack = None
        if is_later and function not in _computed:
            _computed.add(function)
            stack = exceptions.stack(sys._getframe())
        fails = functools.partial(self._fails, function, stack)
        try:
            computation = Computation(function, arguments, keywords, results, source, fails)
            if is_later and not moves:
                computation.keep_what_the_host_gave()
            if self._report is not None:
                stream = torch.cuda.current_stream().cuda_stream
                given = arguments, keywords
                computation = self._report.reported(
                    function, given, computation, results, stream, moves
                )
        except Exception as error:
            fails(error)
            return results
        if not is_later:
            return computation.run(results)
        leave(computation, when, self._recorder)
        return results

    def _fails(self, function, stack, error):
        """Says once that an operator is not computed, with the stack of its first call, or of this moment."""
        name = str(function)
        if name not in _told:
            _told.add(name)
            reason = str(error).strip().split("\n", 1)[0][:200]
            self._recorder.event(
                {
                    "event": "not_computed",
                    "operator": name,
                    "reason": reason,
                    "stack": stack or exceptions.stack(sys._getframe()),
                }
            )
