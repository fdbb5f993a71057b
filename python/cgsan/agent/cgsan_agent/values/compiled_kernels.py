"""Kernels that `torch.compile` makes: Inductor launches them by itself, and they are Triton's, so Triton's interpreter computes them too."""

import functools

from torch._inductor.runtime import triton_heuristics

from ..own_frames import Hidden
from . import not_computed
from .kernels import NOTHING_CHECKED, Launch
from .later import launched

# How arguments are named that a kernel writes.
WRITTEN = ("out_ptr", "in_out_ptr")


@functools.cache
def compute_launches(recorder):
    """Computes what such kernels do that are launched from now on."""
    tuner = triton_heuristics.CachingAutotuner
    launch = tuner.run

    @functools.wraps(launch)
    def run(self, *arguments, **keywords):
        recorder.values_begin()
        try:
            with Hidden():
                result = launch(self, *arguments, **keywords)
        finally:
            when = recorder.values_end()
        # What is launched to be timed is launched again with the best choice.
        if not keywords.get("benchmark_run"):
            try:
                launched(recorder, _Launch(self, arguments, keywords, recorder), when)
            except Exception as error:
                name = f"a kernel of `torch.compile` ({type(self).__name__})"
                not_computed.tell(recorder, id(self), name, error, None, stays=True)
        return result

    tuner.run = run


def _with_code(tuner):
    """The kernel with its function of Python's, which one lacks that another process compiled."""
    kernel = tuner.fn
    if kernel.fn is None and callable(getattr(tuner, "_reload_kernel", None)):
        kernel = tuner.fn = tuner._reload_kernel().fn
    return kernel


class _Launch(Launch):
    """A launch of such a kernel, with the sizes of blocks that were chosen for it."""

    def __init__(self, tuner, arguments, keywords, recorder):
        config = tuner.launchers[0].config
        kernel = _with_code(tuner)
        grid = keywords.get("grid")
        if grid is None and hasattr(tuner, "_interpret_args_grid"):
            arguments, grid = tuner._interpret_args_grid(arguments, config)
        compiled_in = {**_constants(tuner, kernel), **config.kwargs}
        super().__init__(kernel, (), _named(kernel, arguments, compiled_in), grid, recorder)
        self._written = [
            tensor for name, tensor in self._given[1].items() if name.startswith(WRITTEN)
        ]
        # What Inductor wrote says what it writes, so that this is made recognisable.
        self.stays = not self._written
        # As it compiles them.
        asserts = tuner.inductor_meta.get("assert_indirect_indexing", True)
        self.checks = {**NOTHING_CHECKED, "debug": asserts}

    def _fails(self, error):
        super()._fails(error)
        if not self._asserted(error):
            for tensor in self._written:
                not_computed.poison(tensor)


def _constants(tuner, kernel):
    """The arguments of the program's own kernel that are compiled in, by their names."""
    constants = tuner.triton_meta.get("constants", {})
    names = kernel.arg_names
    return {names[it] if type(it) is int else it: value for it, value in constants.items()}


def _named(kernel, arguments, compiled_in):
    """The arguments of a launch by their names. Whether those that are compiled in are given too depends on the version (PyTorch 2.6
    to 2.15): all are, or none of `tl.constexpr`, or none at all."""
    names = kernel.arg_names
    constexprs = {it.name for it in kernel.params if it.is_constexpr}
    choices = ([it for it in names if it not in out] for out in ((), constexprs, compiled_in))
    given = next((it for it in choices if len(it) == len(arguments)), names)
    return {**dict(zip(given, arguments, strict=False)), **compiled_in}
