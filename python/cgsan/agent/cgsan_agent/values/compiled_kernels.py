"""Kernels that `torch.compile` makes: Inductor launches them by itself, and they are Triton's, so Triton's interpreter computes them too."""

import functools

from torch._inductor.runtime import triton_heuristics

from ..own_frames import Hidden
from . import not_computed
from .kernels import Launch
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

    # It is known what it writes, so that this is made recognisable.
    stays = False

    def __init__(self, tuner, arguments, keywords, recorder):
        config = tuner.launchers[0].config
        kernel = _with_code(tuner)
        self._names = kernel.arg_names
        grid = keywords.get("grid")
        if grid is None and hasattr(tuner, "_interpret_args_grid"):
            arguments, grid = tuner._interpret_args_grid(arguments, config)
        super().__init__(kernel, arguments, dict(config.kwargs), grid, recorder)

    def _fails(self, error):
        super()._fails(error)
        for name, tensor in zip(self._names, self._given[0], strict=False):
            if name.startswith(WRITTEN):
                not_computed.poison(tensor)
