"""The precision in which kernels compute."""

import torch

from .arguments import mapped

WIDE = {
    torch.float16: torch.float32,
    torch.bfloat16: torch.float32,
    torch.complex32: torch.complex64,
}


def precision_of(dtype):
    """The type in which a GPU's kernels compute with numbers of a type: float32 for half precision."""
    return torch.float64 if dtype == torch.float64 else torch.float32


def widened(values):
    """Values with tensors of floating-point numbers in the precision that kernels compute in."""
    return mapped(_wide, values)


def in_precision(operator):
    """What computes an operator by the CPU's, in the precision that kernels compute in."""

    def compute(_results, *arguments, **keywords):
        return operator(*widened(arguments), **keywords)

    compute.only_widens = True
    return compute


def only_widens(substitute):
    """Whether what computes an operator in place of the CPU's does the same with tensors that are wide enough."""
    return getattr(substitute, "only_widens", False)


def _wide(value):
    if not isinstance(value, torch.Tensor) or value.dtype not in WIDE:
        return value
    return value.to(WIDE[value.dtype])
