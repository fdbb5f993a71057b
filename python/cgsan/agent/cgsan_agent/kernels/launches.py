"""Launches of Triton's kernels, told to the recorder as operators are: their arguments, their grid, and what they write."""

import contextlib
import functools
import json
import sys
import threading

from ..own_frames import Hidden
from . import access, handles

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
OTHER = "{}"
# The attributes of a kernel that tell what it does to memory, and how its parameters are called.
ACCESSES, PARAMETERS = "_cgsan_accesses", "_cgsan_parameters"
UNKNOWN = object()
# What Triton wraps tensors in: one of which blocks are copied, and one whose elements are taken for those of another type.
DESCRIPTOR, WRAPPER = "TensorDescriptor", "TensorWrapper"
# Where `torch.compile` launches its own.
INDUCTOR = "torch._inductor.runtime.triton_heuristics"

_thread = threading.local()


def listen(recorder):
    """Tells launches from now on, once the modules are imported that make them."""
    _listen_to_jiterator(recorder)
    jit, autotuner = (sys.modules.get(f"triton.runtime.{it}") for it in ("jit", "autotuner"))
    if hasattr(jit, "JITFunction") and hasattr(autotuner, "Autotuner"):
        _listen(recorder, jit, autotuner)
    if hasattr(sys.modules.get(INDUCTOR), "CachingAutotuner"):
        with contextlib.suppress(ImportError):  # It is about to be loaded.
            from . import inductor

            inductor.listen(recorder)


def are_measured():
    """Whether this thread launches kernels only to find out how fast they are."""
    return getattr(_thread, "measures", False)


@contextlib.contextmanager
def measuring():
    """What this thread launches meanwhile only finds out how fast something is."""
    before, _thread.measures = are_measured(), True
    try:
        yield
    finally:
        _thread.measures = before


@functools.cache
def _listen(recorder, jit, autotuner):
    launch, measure = jit.JITFunction.run, autotuner.Autotuner._bench

    @functools.wraps(launch)
    def run(self, *arguments, grid, warmup, **keywords):
        with Hidden():
            if warmup or are_measured() or not recorder.takes_kernels():
                return launch(self, *arguments, grid=grid, warmup=warmup, **keywords)
            launched, grid = _told(self, arguments, keywords, grid)
            number = recorder.kernel_begins(launched) if launched else 0
            kernel = None
            try:
                kernel = launch(self, *arguments, grid=grid, warmup=False, **keywords)
                return kernel
            finally:
                if number:
                    recorder.kernel_ends(number, _learn_accesses(self, kernel))

    def by_handle(compiled, kernel, arguments, grid, launch):
        with Hidden():
            if are_measured() or not recorder.takes_kernels():
                return launch()
            launched, _ = _told(kernel, arguments, {}, grid)
            number = recorder.kernel_begins(launched) if launched else 0
            try:
                return launch()
            finally:
                if number:
                    recorder.kernel_ends(number, _learn_accesses(kernel, compiled))

    @functools.wraps(measure)
    def bench(self, *arguments, **keywords):
        with Hidden(), measuring():
            return measure(self, *arguments, **keywords)

    jit.JITFunction.run = run
    autotuner.Autotuner._bench = bench
    handles.around(by_handle)


@functools.cache
def _listen_to_jiterator(recorder):
    from . import jiterator

    def launched(name, tensors, numbers, launch):
        with Hidden():
            number = 0
            if recorder.takes_kernels():
                number = recorder.kernel_begins(told(json.dumps(name), (*tensors, *numbers), ()))
            given = ()
            try:
                given = launch()
                return given
            finally:
                if number:
                    tensors = ",".join(map(_json, jiterator.results(given)))
                    recorder.kernel_gave(number, f"[{tensors}]")

    jiterator.around(launched)


def _told(kernel, arguments, keywords, grid):
    """A launch as the recorder takes it, and its grid; None for one that cannot be told."""
    with contextlib.suppress(Exception):
        bound, grid = bind(kernel, arguments, keywords, grid)
        return told(_parameters(kernel)[2], bound.values(), shape(grid)), grid
    return None, grid


def told(name, arguments, grid):
    """A launch of a kernel, whose name is given in JSON, as the recorder takes it."""
    given = ",".join(map(_json, arguments))
    return f'{{"name":{name},"arguments":[{given},{_json(grid)}]}}'


def bind(kernel, arguments, keywords, grid):
    """The arguments of a launch by their names, and its grid, for which the program's own function is asked."""
    names, defaults, _ = _parameters(kernel)
    bound = {**defaults, **dict(zip(names, arguments, strict=False))}
    for name, value in keywords.items():
        if name in names:
            bound[name] = value
    if callable(grid):
        grid = grid(bound)
    return {name: bound[name] for name in names}, grid


def shape(grid):
    """The sizes of a grid."""
    return grid if isinstance(grid, (tuple, list)) else (grid,)


def _parameters(kernel):
    """The names of a kernel's parameters, the values of those that have one by default, and its own name in JSON."""
    known = getattr(kernel, PARAMETERS, None)
    if known is None:
        names = tuple(kernel.arg_names)
        defaults = {it.name: it.default for it in kernel.params if it.has_default}
        known = names, defaults, json.dumps(kernel.__name__)
        with contextlib.suppress(Exception):
            setattr(kernel, PARAMETERS, known)
    return known


def _json(value):
    """A value as the recorder takes it."""
    kind = type(value)
    if kind is sys.modules["torch"].Tensor:
        return _tensor(value)
    if kind is int:
        return str(value) if -LARGEST <= value < LARGEST else OTHER
    if kind is bool:
        return "true" if value else "false"
    if value is None:
        return "null"
    if kind is float:
        return repr(value) if value - value == 0 else OTHER
    if isinstance(value, (tuple, list)):
        return f"[{','.join(map(_json, value))}]"
    inner = plain(value)
    if inner is not value:
        return _json(inner)
    return _tensor(value) if isinstance(value, sys.modules["torch"].Tensor) else OTHER


def plain(value):
    """What Triton has wrapped: a number that is compiled in, or a tensor."""
    kind = type(value).__name__
    if kind == "constexpr":
        return value.value
    return value.base if kind in (DESCRIPTOR, WRAPPER) else value


def _tensor(tensor):
    storage = tensor.untyped_storage()
    on_gpu = "true" if tensor.is_cuda else "false"
    sizes = ",".join(map(str, tensor.shape))
    return (
        f'{{"address":{storage.data_ptr()},"bytes":{storage.nbytes()},"offset":{tensor.storage_offset()},'
        f'"on_gpu":{on_gpu},"dtype":{_number_of(tensor.dtype)},"sizes":[{sizes}]}}'
    )


@functools.cache
def _number_of(dtype):
    return NUMBERS.get(str(dtype), UNKNOWN_DTYPE)


def accesses(kernel):
    """What a kernel did through each of its pointers when it was launched last, a byte each, in their order; None where that is
    not known."""
    return getattr(kernel, ACCESSES, None)


def _learn_accesses(kernel, compiled):
    """What a kernel that was compiled does, and remembers it of both: text is read once."""
    known = getattr(compiled, ACCESSES, UNKNOWN)
    if known is UNKNOWN:
        known = None
        with contextlib.suppress(Exception):
            found = access.of_pointers(compiled.asm["ttir"])
            known = None if found is None else bytes(found)
    with contextlib.suppress(Exception):
        setattr(compiled, ACCESSES, known)
        setattr(kernel, ACCESSES, known)
    return known
