"""Launches of Triton's kernels, told to the recorder as operators are: their arguments, their grid, and what they write."""

import contextlib
import functools
import json
import sys
import threading

from ..own_frames import Hidden
from . import access

# How PyTorch numbers the types of elements (`c10::ScalarType`).
DTYPES = (
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "float32",
    "float64",
    "complex32",
    "complex64",
    "complex128",
    "bool",
    "qint8",
    "quint8",
    "qint32",
    "bfloat16",
    "quint4x2",
    "quint2x4",
    "bits1x8",
    "bits2x4",
    "bits4x2",
    "bits8",
    "bits16",
    "float8_e5m2",
    "float8_e4m3fn",
    "float8_e5m2fnuz",
    "float8_e4m3fnuz",
    "uint16",
    "uint32",
    "uint64",
)
NUMBERS = {f"torch.{name}": number for number, name in enumerate(DTYPES)}
UNKNOWN_DTYPE = 255
# What the recorder has for a number.
LARGEST = 1 << 63
# An argument that is neither a tensor nor a number.
OTHER = {}
# The attribute of a kernel that tells what it does to memory.
ACCESSES = "_cgsan_accesses"

_thread = threading.local()


def listen(recorder):
    """Tells launches from now on, once both modules are imported."""
    jit, autotuner = (sys.modules.get(f"triton.runtime.{it}") for it in ("jit", "autotuner"))
    if hasattr(jit, "JITFunction") and hasattr(autotuner, "Autotuner"):
        _listen(recorder, jit, autotuner)


def are_measured():
    """Whether this thread launches kernels only to find out how fast they are."""
    return getattr(_thread, "measures", False)


@functools.cache
def _listen(recorder, jit, autotuner):
    launch, measure = jit.JITFunction.run, autotuner.Autotuner._bench

    @functools.wraps(launch)
    def run(self, *arguments, grid, warmup, **keywords):
        with Hidden():
            if warmup or are_measured() or not recorder.takes_kernels():
                return launch(self, *arguments, grid=grid, warmup=warmup, **keywords)
            told, grid = _told(self, arguments, keywords, grid)
            number = recorder.kernel_begins(told) if told else 0
            kernel = None
            try:
                kernel = launch(self, *arguments, grid=grid, warmup=False, **keywords)
                return kernel
            finally:
                if number:
                    recorder.kernel_ends(number, _learn_accesses(self, kernel))

    @functools.wraps(measure)
    def bench(self, *arguments, **keywords):
        _thread.measures = True
        try:
            with Hidden():
                return measure(self, *arguments, **keywords)
        finally:
            _thread.measures = False

    jit.JITFunction.run = run
    autotuner.Autotuner._bench = bench


def _told(kernel, arguments, keywords, grid):
    """A launch as the recorder takes it, and its grid; None for one that cannot be told."""
    with contextlib.suppress(Exception):
        bound, grid = bind(kernel, arguments, keywords, grid)
        shape = grid if isinstance(grid, (tuple, list)) else (grid,)
        given = [*map(argument, bound.values()), [argument(it) for it in shape]]
        return json.dumps({"name": kernel.__name__, "arguments": given}, allow_nan=False), grid
    return None, grid


def bind(kernel, arguments, keywords, grid):
    """The arguments of a launch by their names, and its grid, for which the program's own function is asked."""
    bound = {it.name: it.default for it in kernel.params if it.has_default}
    bound.update(zip(kernel.arg_names, arguments, strict=False))
    bound.update((name, value) for name, value in keywords.items() if name in kernel.arg_names)
    if callable(grid):
        grid = grid(bound)
    return {name: bound[name] for name in kernel.arg_names}, grid


def argument(value):
    """A value as the recorder takes it."""
    value = plain(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if -LARGEST <= value < LARGEST else OTHER
    if isinstance(value, float):
        return value if value - value == 0 else OTHER
    if isinstance(value, (tuple, list)):
        return [argument(it) for it in value]
    torch = sys.modules["torch"]
    return _tensor(value) if isinstance(value, torch.Tensor) else OTHER


def plain(value):
    """What Triton has wrapped: a number that is compiled in, or a tensor of which blocks are copied."""
    kind = type(value).__name__
    if kind == "constexpr":
        return value.value
    return value.base if kind == "TensorDescriptor" else value


def _tensor(tensor):
    storage = tensor.untyped_storage()
    return {
        "address": storage.data_ptr(),
        "bytes": storage.nbytes(),
        "offset": tensor.storage_offset(),
        "on_gpu": tensor.is_cuda,
        "dtype": NUMBERS.get(str(tensor.dtype), UNKNOWN_DTYPE),
        "sizes": list(tensor.size()),
    }


def accesses(kernel):
    """What a kernel did through each of its pointers when it was launched last, in their order; None where that is not known."""
    return getattr(kernel, ACCESSES, None)


def _learn_accesses(kernel, compiled):
    """What a kernel that was compiled does, and remembers it of both: text is read once."""
    known = getattr(compiled, ACCESSES, OTHER)
    if known is OTHER:
        known = None
        with contextlib.suppress(Exception):
            known = access.of_pointers(compiled.asm["ttir"])
    with contextlib.suppress(Exception):
        setattr(compiled, ACCESSES, known)
        setattr(kernel, ACCESSES, known)
    return known
