"""Launches of functions of PyTorch's jiterator. The kernels that it makes are given their tensors in structures, so what they are given tells
nothing; what their callers give is told (torch/cuda/jiterator.py, PyTorch 2.6 to 2.15).
"""

import functools

import torch

LAUNCH = "_cuda_jiterator_compile_and_launch_kernel"


def around(launched):
    """Has each launch go through `launched`, which is given the name of the function, its tensors, its numbers, and what launches it."""
    launch = getattr(torch._C, LAUNCH, None)
    if launch is None:
        return

    @functools.wraps(launch)
    def run(code, name, by_reference, count, tensors, numbers):
        again = functools.partial(launch, code, name, by_reference, count, tensors, numbers)
        return launched(name, tensors, numbers.values(), again)

    setattr(torch._C, LAUNCH, run)


def results(given):
    """What a launch gives, as a list: one tensor, or several."""
    return list(given) if isinstance(given, (tuple, list)) else [given]
