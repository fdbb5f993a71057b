"""Operators on a GPU that only call others, though PyTorch does not say so: each of those is to be computed.

They are written out as PyTorch 2.11 has them, so that a program's calls stay the same. `NotImplemented` where that is not so.
"""

import torch

aten = torch.ops.aten


def _multinomial(probabilities, count, replacement=False, *, generator=None):
    """With the largest of weights over random numbers, where nothing is drawn twice; else there is a kernel for it."""
    if replacement and count > 1:
        return NotImplemented
    return aten.multinomial.default._op_dk(
        torch._C.DispatchKey.CUDA, probabilities, count, replacement, generator=generator
    )


def _equal(left, right):
    """The host reads the answer of two kernels."""
    if left.shape != right.shape or left.device != right.device or not left.numel():
        return NotImplemented
    return torch.eq(left, right).all().item()


def _normal(mean, deviation, *, generator=None):
    """Standard normal numbers, scaled and moved; the host reads whether deviations are negative."""
    tensors = [it for it in (mean, deviation) if isinstance(it, torch.Tensor)]
    if not all(it.is_cuda and it.is_floating_point() for it in tensors):
        return NotImplemented
    is_scaled = isinstance(deviation, torch.Tensor)
    if is_scaled and deviation.numel() and not deviation.min().ge(0).item():
        raise RuntimeError("normal expects all elements of std >= 0.0")
    shape = torch.broadcast_shapes(*(it.shape for it in tensors))
    numbers = torch.empty(shape, dtype=tensors[0].dtype, device=tensors[0].device)
    numbers.normal_(0, 1 if is_scaled else deviation, generator=generator)
    return (numbers.mul_(deviation) if is_scaled else numbers).add_(mean)


BY_PARTS = {
    aten.multinomial.default: _multinomial,
    aten.equal.default: _equal,
    aten.normal.Tensor_float: lambda mean, std=1.0, **keywords: _normal(mean, std, **keywords),
    aten.normal.float_Tensor: _normal,
    aten.normal.Tensor_Tensor: _normal,
}
