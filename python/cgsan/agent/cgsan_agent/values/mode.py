"""The mode in which PyTorch's operators run on the virtual GPU and are computed on the CPU."""

import ctypes
import functools
import sys

import torch
from torch.utils._python_dispatch import TorchDispatchMode, _pop_mode, _push_mode

from .. import exceptions
from . import indexing, not_computed, random_numbers
from .arguments import both_mapped, leaves
from .computation import Computation
from .memory import names_gpu, with_memory
from .operator import known

# What `cgsan_values_end` says of an operator's values: that there are none to compute, or when they are computed.
NOTHING, NOW, ONCE, AT_REPLAYS = range(4)
# Added where it moved bytes and computed nothing.
MOVED = 8

PLAIN = (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer)

# Computations that are still to be done, by number. Those of captures stay as long as the process: nobody says when a
# graph's last executable one is gone.
_waiting = {}
_numbers = iter(range(1, 1 << 62))

# Operators that are known to be computed, in whichever thread.
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
        with BeneathAutograd():
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
        with BeneathAutograd():
            computation.run()
    elif when != NOTHING:
        leave(computation, when, recorder)


class BeneathAutograd:
    """Computes as in an operator: without autograd, modes of the program, and what else is above this mode."""

    __slots__ = "_guards"

    def __enter__(self):
        self._guards = torch._C._ExcludeDispatchKeyGuard(ABOVE), torch._C.DisableTorchFunction()
        for guard in self._guards:
            guard.__enter__()

    def __exit__(self, *exception):
        for guard in reversed(self._guards):
            guard.__exit__(*exception)


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
        given = leaves((*arguments, *keywords.values()))
        tensors = [it for it in given if isinstance(it, torch.Tensor)]
        if not all(type(it) in PLAIN for it in tensors):
            return function(*arguments, **keywords)
        on_gpu = [it for it in tensors if it.is_cuda]
        if not on_gpu and self._report is None and not any(map(names_gpu, given)):
            return function(*arguments, **keywords)
        if any(it._is_zerotensor() for it in tensors):
            with self:
                arguments, keywords = both_mapped(with_memory, arguments, keywords)
        operator = known(function)
        if operator.is_composite:
            with self:
                return function.decompose(*arguments, **keywords)
        if operator.is_collective and on_gpu:
            # What a collective calls before and after itself.
            with self:
                return function._op_dk(torch._C.DispatchKey.CUDA, *arguments, **keywords)
        if operator.by_parts is not None and on_gpu:
            with self:
                results = operator.by_parts(*arguments, **keywords)
            if results is not NotImplemented:
                return results
        source = None
        if operator.takes_masks and not self._is_in_capture():
            arguments = indexing.with_positions(arguments, self._recorder)
        if operator.draws:
            generator = random_numbers.generator_of(given, on_gpu)
            source = random_numbers.Source(generator, self._is_in_capture())
        self._recorder.values_begin()
        results = function(*arguments, **keywords)
        return self._compute(operator, arguments, keywords, results, source)

    def _is_in_capture(self):
        return self._recorder.in_capture(torch.cuda.current_stream().cuda_stream)

    def _compute(self, operator, arguments, keywords, results, source):
        when = self._recorder.values_end()
        moves = when >= MOVED
        when %= MOVED
        if self._report is not None and when == NOTHING:
            self._report.on_host(operator.function, (arguments, keywords), results)
        if when == NOTHING or (moves and self._report is None):
            return results
        is_later = when != NOW
        stack = None
        if is_later and operator not in _computed:
            _computed.add(operator)
            stack = exceptions.stack(sys._getframe())
        fails = functools.partial(self._fails, operator.function, stack)
        try:
            computation = Computation(operator, arguments, keywords, results, source, fails)
            if is_later and not moves:
                computation.keep_what_the_host_gave()
            if self._report is not None:
                computation = self._report.reported(
                    operator.function,
                    (arguments, keywords),
                    computation,
                    results,
                    torch.cuda.current_stream().cuda_stream,
                    moves,
                )
        except Exception as error:
            fails(error)
            return results
        if not is_later:
            with BeneathAutograd():
                return computation.run(results)
        leave(computation, when, self._recorder)
        return results

    def _fails(self, function, stack, error):
        not_computed.tell(self._recorder, function, str(function), error, stack)
