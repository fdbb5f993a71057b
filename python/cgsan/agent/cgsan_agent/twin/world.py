"""What a region meets in the child: a capture that seems to run, and calls of CUDA that do nothing."""

import contextlib
import contextvars
import functools
import io
import random
import sys
import threading
import warnings

import torch

from ..kernels import handles, jiterator, launches
from . import graphed, light, mode, modes, outputs

# Methods of PyTorch's that wait for the GPU, or order its work: nothing is to be ordered.
SILENT = {
    "Stream": ("synchronize", "wait_event", "wait_stream"),
    "Event": ("record", "wait", "synchronize"),
}
SILENT_FUNCTIONS = (
    "synchronize",
    "empty_cache",
    "reset_peak_memory_stats",
    "ipc_collect",
    "_sleep",
)
# Where PyTorch opens the driver.
UTILS, DRIVER = "torch.cuda._utils", "_get_gpu_runtime_library"
# What would have the region work with graphs.
GRAPHS = ("replay", "capture_begin", "capture_end", "instantiate", "reset", "debug_dump")


# The captures that were begun in this context of `contextvars`, or before it was copied from another one, by object.
_BEGUN = contextvars.ContextVar("cgsan_begun", default=frozenset())


@contextlib.contextmanager
def as_captured(twin, state, captures, given):
    """Runs what is inside of it as the capture ran, with what PyTorch keeps for each thread as it was then, and with the modes that
    are given. A capture seems to run, unless it is not to."""
    sys.stdout = sys.stderr = io.StringIO()
    warnings.showwarning = _nothing  # To show one, lines of files are read.
    if "logging" in sys.modules:
        sys.modules["logging"].Logger.callHandlers = _nothing  # They may write files.
    _silence(twin, captures)
    light.stand_in()
    twin.follow(*state.follow_launches(twin.launched) or ())
    if state.driver is not None:
        setattr(sys.modules[UTILS], DRIVER, lambda: state.driver)
    torch.autograd.set_multithreading_enabled(False)
    lift = getattr(torch._C, "_set_only_lift_cpu_tensors", None)
    if lift is not None:
        lift(True)
    with state.entered(), modes.entered({**modes.current(), **given}), twin:
        yield


class State:
    """What a thread has that decides what operators do: modes, and its stream."""

    def __init__(self, follow_launches):
        # Has a function told of kernels that are launched.
        self.follow_launches = follow_launches
        self._thread = threading.get_ident()
        self._mark = object()
        _BEGUN.set(_BEGUN.get() | {self._mark})
        # Autograd has backward passes wait for the streams of forward ones: on another stream, events would be recorded.
        self._stream = torch.cuda.current_stream()
        self._gradients = torch.is_grad_enabled()
        self._inference = torch.is_inference_mode_enabled()
        self._autocast = {
            kind: (torch.is_autocast_enabled(kind), torch.get_autocast_dtype(kind))
            for kind in ("cuda", "cpu")
        }
        self._caches = torch.is_autocast_cache_enabled()
        # The driver, which kernels of `torch.cuda._compile_kernel` open anew at each launch (PyTorch 2.9 to 2.15): a child opens no file.
        self.driver = _driver()

    def is_of_another_thread(self):
        """Whether it is not that of the thread that runs, or of the one that a child was made in."""
        return self._thread != threading.get_ident()

    def is_of_another_context(self):
        """Whether its context of `contextvars` is not the one that runs, nor one that this was copied from."""
        return self._mark not in _BEGUN.get()

    @contextlib.contextmanager
    def entered(self):
        """Has them as they were."""
        with contextlib.ExitStack() as stack:
            if self._inference != torch.is_inference_mode_enabled():
                stack.enter_context(torch.inference_mode(self._inference))
            stack.enter_context(torch.set_grad_enabled(self._gradients))
            stack.enter_context(torch.cuda.stream(self._stream))
            for kind, (is_enabled, dtype) in self._autocast.items():
                if is_enabled or torch.is_autocast_enabled(kind):
                    stack.enter_context(torch.autocast(kind, dtype, is_enabled, self._caches))
            yield


def _driver():
    """The driver as PyTorch's own kernels ask for it; None where none of them can have been compiled."""
    ask = getattr(sys.modules.get(UTILS), DRIVER, None)
    with contextlib.suppress(OSError):
        return ask and ask()
    return None


def _nothing(*_arguments, **_keywords):
    return None


def _silence(twin, captures):
    def graphs(*_arguments, **_keywords):
        twin.stop("it works with a graph")

    def is_capturing():
        twin.asked_by(sys._getframe(1))
        return captures

    for name, methods in SILENT.items():
        for method in methods:
            setattr(getattr(torch.cuda, name), method, _nothing)
    torch.cuda.Event.query = torch.cuda.Stream.query = lambda *_: True
    torch.cuda.Event.elapsed_time = lambda *_: 0.0
    torch.cuda.Stream.record_event = lambda _stream, event=None: event or torch.cuda.Event()
    for name in SILENT_FUNCTIONS:
        setattr(torch.cuda, name, _nothing)
    for name in GRAPHS:
        if hasattr(torch.cuda.CUDAGraph, name):
            setattr(torch.cuda.CUDAGraph, name, graphs)
    for owner, name in (
        (torch.cuda, "is_current_stream_capturing"),
        (torch.cuda.graphs, "is_current_stream_capturing"),
        (torch._C, "_cuda_isCurrentStreamCapturing"),
    ):
        setattr(owner, name, is_capturing)
    _listen_to_modes(twin)
    _leave_uncompiled()
    _write_down_kernels(twin)


def _listen_to_modes(twin):
    """Notes which modes the program asks for."""
    for mode_name, name in (
        (modes.GRADIENTS, "is_grad_enabled"),
        (modes.INFERENCE, "is_inference_mode_enabled"),
    ):
        setattr(torch, name, functools.partial(_asked_for, twin, mode_name, getattr(torch, name)))


def _asked_for(twin, mode_name, ask):
    twin.mode_asked_by(sys._getframe(1), mode_name)
    return ask()


def _leave_uncompiled():
    """Has compiled functions run as they are written: the code that was made of them launches kernels past PyTorch's operators."""
    dynamo = sys.modules.get("torch._dynamo.eval_frame")
    if dynamo is not None:
        # Their wrappers turn Dynamo on again with it, at each call (PyTorch 2.6 to 2.15).
        dynamo._maybe_set_eval_frame = _nothing
        torch._C._dynamo.eval_frame.set_eval_frame(None)


def _write_down_kernels(twin):
    """Has Triton's kernels written down in place of being launched, and those of the jiterator as what their callers give them."""
    jiterator.around(twin.function)
    jit = sys.modules.get("triton.runtime.jit")
    function = getattr(jit, "JITFunction", None)
    if function is None:
        return

    def run(self, *arguments, grid=None, warmup=False, **keywords):
        bound, grid = launches.bind(self, arguments, keywords, grid)
        shape = launches.shape(grid)
        twin.kernel(self.__name__, bound.values(), shape, launches.accesses(self))

    def by_handle(_compiled, kernel, arguments, grid, _launch):
        run(kernel, *arguments, grid=grid)

    function.run = functools.wraps(function.run)(run)
    handles.around(by_handle)


def run(source, variables, state, give, had_gradients, answer=None, given=None, training=None):
    """Runs a region, whose operators are given results by `give`, and returns the twin that wrote down what it did. With an
    `answer`, as if no capture ran, and the host is given it where it looks at a truth. `given` are modes, and `training` the flags
    of modules, that are others than they are."""
    twin = mode.Twin(give, had_gradients, answer)
    drawn = _random_states()
    left = None
    with (
        mode.stops_as(twin),
        as_captured(twin, state, answer is None, given or {}),
        twin.called.followed(training or {}),
    ):
        graphed.restore(variables)
        region, twin.root = source.compiled(variables)
        left = region()
    twin.draws = _random_states() != drawn
    if left is not None:
        with contextlib.suppress(Exception):
            twin.outputs = outputs.of_region(source, {**variables, **left}, twin.made)
    return twin


def _random_states():
    """The states of the generators of random numbers on the host that a program shares."""
    numpy = sys.modules.get("numpy.random")
    return (
        random.getstate(),
        numpy and numpy.get_state()[1].tobytes(),
        bytes(torch.get_rng_state().tolist()),
    )
