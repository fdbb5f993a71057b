"""The precision in which kernels compute."""

import torch


def precision_of(dtype):
    """The type in which a GPU's kernels compute with numbers of a type: float32 for half precision."""
    return torch.float64 if dtype == torch.float64 else torch.float32
