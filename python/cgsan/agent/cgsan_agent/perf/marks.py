"""Steps that the program marks: a range of PyTorch's profiler or of NVTX that has the name which `--step-marker` gave."""

import functools

from ..own_frames import Hidden


def listen(clock, name):
    """Notes the beginnings of ranges of this name, from now on."""
    import torch

    def noting(function, named):
        @functools.wraps(function)
        def noted(*arguments, **options):
            if named(*arguments) == name:
                clock.mark_step()
            with Hidden():
                return function(*arguments, **options)

        return noted

    ranges = torch.autograd.profiler.record_function
    ranges.__enter__ = noting(ranges.__enter__, lambda range_: range_.name)
    nvtx = torch.cuda.nvtx
    nvtx.range_push = noting(nvtx.range_push, lambda message, *_: message)
    nvtx.mark = noting(nvtx.mark, lambda message, *_: message)
