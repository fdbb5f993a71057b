"""Operators on a GPU that only call others, though PyTorch does not say so: each of those is to be computed.

They are written out as PyTorch 2.11 has them, so that a program's calls stay the same. `NotImplemented` where that is not so.
"""

import torch
from torch.utils._pytree import tree_leaves, tree_map

from .memory import is_on_gpu

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


def _isin(elements, test_elements, *, assume_unique=False, invert=False):
    if not test_elements.numel():
        return torch.full_like(elements, invert, dtype=torch.bool)
    if elements.dtype == torch.bool:
        elements, test_elements = elements.byte(), test_elements.byte()
    wanted = test_elements.flatten().sort().values
    nearest = torch.searchsorted(wanted, elements.contiguous()).clamp_(max=wanted.numel() - 1)
    return (wanted[nearest] == elements).logical_xor(torch.full((), invert, device=elements.device))


def _allclose(left, right, rtol=1e-5, atol=1e-8, equal_nan=False):
    return torch.isclose(left, right, rtol, atol, equal_nan).all().item()


def _on_host(operator):
    """The host reads in the midst of it what to do next: it is computed there, and copied back."""

    def moved(*arguments, **keywords):
        given = tree_map(lambda it: it.cpu() if is_on_gpu(it) else it, (arguments, keywords))
        device = next(filter(is_on_gpu, tree_leaves((arguments, keywords)))).device
        return tree_map(lambda it: it.to(device), operator(*given[0], **given[1]))

    return moved


BY_PARTS = {
    aten.allclose.default: _allclose,
    aten.isin.Tensor_Tensor: _isin,
    aten._linalg_eigvals.default: _on_host(aten._linalg_eigvals.default),
    aten.linalg_eig.default: _on_host(aten.linalg_eig.default),
    aten.linalg_eigvals.default: _on_host(aten.linalg_eigvals.default),
    aten.linalg_matrix_exp.default: _on_host(aten.linalg_matrix_exp.default),
    aten.segment_reduce.default: _on_host(aten.segment_reduce.default),
    aten.multinomial.default: _multinomial,
    aten.equal.default: _equal,
    aten.normal.Tensor_float: lambda mean, std=1.0, **keywords: _normal(mean, std, **keywords),
    aten.normal.float_Tensor: _normal,
    aten.normal.Tensor_Tensor: _normal,
}
