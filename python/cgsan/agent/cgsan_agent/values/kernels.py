"""Kernels of Triton, computed by Triton's own interpreter in the memory of the virtual GPU.

The interpreter runs a kernel's Python function once for each program of its grid, so it is slow: a kernel with more programs than
`PROGRAMS` is named as not computed. It keeps numbers of 16 bits without a type of NumPy's (bfloat16) and of 8 bits as integers and
computes with those: tensors of bfloat16 are handed to it as float32, as which it rounds to bfloat16 too (`bfloat16.py`); a kernel that makes
numbers of 8 bits is named.
"""

import dataclasses
import functools
import inspect
import math
import sys
import threading
import types

import torch
from torch.utils._pytree import tree_leaves, tree_map

from .. import exceptions
from ..kernels import handles, launches
from ..own_frames import Hidden
from . import assertions, bfloat16, bounds, libdevice, loops, not_computed
from .beneath import BeneathAutograd
from .later import launched
from .memory import is_on_gpu, on_cpu

PROGRAMS = 1 << 14
NOTHING_CHECKED = {"debug": False, "sanitize_overflow": False}

# Floats that the interpreter has as integers.
AS_INTEGERS = ("bfloat16", "float8e5", "float8e5b16", "float8e4nv", "float8e4b8", "float8e4b15")

_thread = threading.local()


@functools.cache
def compute_launches(recorder):
    """Computes what kernels do that are launched from now on."""
    jit = sys.modules["triton.runtime.jit"]
    launch = jit.JITFunction.run

    @functools.wraps(launch)
    def run(self, *arguments, grid, warmup, **keywords):
        if warmup:
            with Hidden():
                return launch(self, *arguments, grid=grid, warmup=warmup, **keywords)
        computation = Launch(self, arguments, keywords, grid, recorder)
        recorder.values_begin()
        with Hidden():
            kernel = launch(self, *arguments, grid=grid, warmup=warmup, **keywords)
        when = recorder.values_end()
        computation.checks = _checks(kernel)
        # What is launched to be timed is launched again with the best choice.
        if not launches.are_measured():
            launched(recorder, computation, when)
        return kernel

    def by_handle(compiled, kernel, arguments, grid, launch):
        computation = Launch(kernel, arguments, {}, grid, recorder)
        computation.checks = _checks(compiled)
        recorder.values_begin()
        with Hidden():
            launch()
        launched(recorder, computation, recorder.values_end())

    jit.JITFunction.run = run
    handles.around(by_handle)


def _checks(compiled):
    options = getattr(compiled, "metadata", None)
    return {name: bool(getattr(options, name, False)) for name in NOTHING_CHECKED}


class Launch:
    """A launch with views of the memory of its arguments, which it does not keep alive."""

    # Whether what it should have written is left as it was where it is not computed.
    stays = True
    # What the kernel was compiled to check, by Triton's names: its assertions, and that no sum of integers is too large.
    checks = NOTHING_CHECKED

    def __init__(self, kernel, arguments, keywords, grid, recorder):
        self._kernel = kernel
        with BeneathAutograd():
            self._given = tree_map(_view, (arguments, keywords))
        # As it is now: a replay does not ask the program again.
        self._grid = launches.bind(kernel, arguments, keywords, grid)[1] if callable(grid) else grid
        self._recorder = recorder
        self._stack = None if kernel.fn in _known else exceptions.stack(sys._getframe(2))

    def belongs_to(self, capture, recorder):
        """It draws no random numbers."""

    def run(self, results=None):
        """Computes it; where that cannot be done, says so once for each kernel, and leaves the memory as it is."""
        try:
            arguments, keywords = tree_map(_Wide(), self._given)
            pairs = _widened(self._given, (arguments, keywords))
            with self._bounds(pairs):
                _interpret(self._kernel, self._bounded, arguments, keywords, self.checks)
            for narrow, wide in pairs:
                narrow.copy_(wide)
        except Exception as error:
            # The interpreter wraps what a kernel's own lines raise.
            self._fails(error.__cause__ or error)
        _known.add(self._kernel.fn)
        return results

    def _bounded(self, _meta):
        grid = launches.shape(self._grid)
        programs = math.prod(grid)
        if programs > PROGRAMS:
            raise NotImplementedError(f"{programs} programs, too many for Triton's interpreter")
        return tuple(grid)

    def _bounds(self, pairs):
        arguments, keywords = self._given
        names = [*self._kernel.arg_names[: len(arguments)], *keywords]
        return bounds.Bounds(self._recorder, names, [*arguments, *keywords.values()], pairs)

    def _asserted(self, error):
        return self.checks["debug"] and isinstance(error, AssertionError)

    def _fails(self, error):
        name = f"Triton's kernel {self._kernel.fn.__name__}"
        if self._asserted(error):
            assertions.fail(self._recorder, name, error, self._stack)
            return
        if isinstance(error, bounds.IllegalAccess):
            assertions.fail(self._recorder, name, error, error.stack, bounds.CODE)
            return
        not_computed.tell(self._recorder, self._kernel.fn, name, error, self._stack, self.stays)


def _view(value):
    kind = type(value).__name__
    if kind == launches.DESCRIPTOR:
        return dataclasses.replace(value, base=_view(value.base))
    if kind == launches.WRAPPER:
        return type(value)(_view(value.base), value.dtype)
    return on_cpu(value) if is_on_gpu(value) else value


# Kernels that were computed or told of.
_known = set()


class _Wide:
    """Takes tensors of bfloat16 to ones of float32; those that share memory share it then too."""

    def __init__(self):
        self._storages = {}

    def __call__(self, value):
        if type(value).__name__ == launches.DESCRIPTOR:
            return dataclasses.replace(value, base=self(value.base))
        if not isinstance(value, torch.Tensor) or value.dtype != torch.bfloat16:
            return value
        storage = value.untyped_storage()
        whole = self._storages.get(storage.data_ptr())
        if whole is None:
            narrow = torch.empty(0, dtype=torch.bfloat16).set_(storage)
            whole = self._storages[storage.data_ptr()] = narrow.float()
        return whole.as_strided(value.size(), value.stride(), value.storage_offset())


def _widened(given, computed):
    """What was handed over as another tensor, with that."""
    sides = (map(launches.plain, tree_leaves(it)) for it in (given, computed))
    pairs = zip(*sides, strict=True)
    return [(a, b) for a, b in pairs if a is not b and isinstance(a, torch.Tensor)]


def _interpret(kernel, grid, arguments, keywords, checks):
    from triton.runtime import interpreter, jit

    _let_kernels_call(interpreter, jit)
    _thread.interprets = True
    builder = interpreter.interpreter_builder
    options = builder.options
    function = _with_what_it_closes_over(kernel.fn)
    try:
        builder.options = dataclasses.replace(options, **checks)
        # A GPU does not warn of numbers that are none.
        with (
            interpreter.np.errstate(all="ignore"),
            libdevice.callable_in_modules(interpreter),
            libdevice.callable_by_name(interpreter, function),
        ):
            interpreter.InterpretedFunction(function)[grid](*arguments, **keywords)
    finally:
        _thread.interprets = False
        builder.options = options


def _with_what_it_closes_over(function):
    """A function whose variables of functions around it are global ones: the interpreter knows no others."""
    if function.__closure__ is None:
        return function
    scope = {**function.__globals__, **inspect.getclosurevars(function).nonlocals}
    closed = types.FunctionType(
        function.__code__, scope, function.__name__, function.__defaults__, function.__closure__
    )
    return functools.update_wrapper(closed, function)


@functools.cache
def _let_kernels_call(interpreter, jit):
    """Lets an interpreted kernel call functions of Triton that were made to be compiled, and refuses what would compute wrong."""
    bounds.watch(interpreter)
    bfloat16.let_kernels_round(interpreter, lambda: getattr(_thread, "interprets", False))
    loops.count_in_numbers(interpreter)
    call, type_of = jit.JITFunction.__call__, interpreter._get_np_dtype
    as_argument, tl = interpreter._implicit_cvt, interpreter.tl
    refused = [getattr(tl, name, None) for name in AS_INTEGERS]

    def interpreted(self, *arguments, **keywords):
        if not getattr(_thread, "interprets", False):
            return call(self, *arguments, **keywords)
        function = _with_what_it_closes_over(self.fn)
        scope = interpreter._patch_lang(function)
        try:
            with libdevice.callable_by_name(interpreter, function):
                return interpreter.InterpretedFunction(function).rewrite()(*arguments, **keywords)
        finally:
            scope.restore()

    def checked(kind):
        number = getattr(kind, "scalar", kind)
        if getattr(_thread, "interprets", False) and number in refused:
            reason = f"Triton's interpreter computes with {number} as with integers"
            raise NotImplementedError(reason)
        return type_of(kind)

    def argument(value):
        if not isinstance(value, float) or not getattr(_thread, "interprets", False):
            return as_argument(value)
        # The compiler makes a number of Triton's of it, as the interpreter does of integers only.
        number = interpreter.np.array([value], dtype=interpreter.np.float32)
        return tl.tensor(interpreter.TensorHandle(number, tl.float32), tl.float32)

    jit.JITFunction.__call__ = interpreted
    interpreter._implicit_cvt = argument
    interpreter._get_np_dtype = checked
