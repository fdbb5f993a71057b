"""Operators whose host code reads, before they end, what a kernel of their own should have computed: no computation at their end can be in
time. They are replaced for the GPU by others that are computed by themselves.

They are written out as PyTorch 2.11 has them, so that a program's calls stay the same.
"""

import threading
import warnings

import torch
from torch.utils._pytree import tree_leaves, tree_map

from ..own_frames import hidden
from .memory import is_on_gpu

aten = torch.ops.aten

# They are in use as long as these are there.
_library = _for_sparse = None

# The devices for which each thread has a handle of cuSOLVER.
_handles = threading.local()


def replace():
    """Has PyTorch call them from now on."""
    global _library, _for_sparse
    _library = torch.library.Library("aten", "IMPL", "CUDA")
    _for_sparse = torch.library.Library("aten", "IMPL", "SparseCUDA")
    with warnings.catch_warnings():
        # PyTorch warns of operators that are replaced.
        warnings.simplefilter("ignore")
        _library.impl("equal", hidden(_equal))
        _library.impl("mode", hidden(_mode))
        _library.impl("_linalg_eigh", hidden(_eigh))
        _for_sparse.impl("_to_dense", hidden(_to_dense))
        for operator in CHECKED_IF_ASKED:
            name = operator._schema.name.removeprefix("aten::")
            overload = operator._schema.overload_name
            _library.impl(f"{name}.{overload}".rstrip("."), hidden(_checked_if_asked(operator)))


def _equal(left, right):
    """The host reads the answer of two kernels."""
    if left.device != right.device:
        raise RuntimeError(
            "Expected all tensors to be on the same device, but got other is on "
            f"{right.device}, different from other tensors on {left.device}"
        )
    if left.shape != right.shape:
        return False
    # Of one memory in one form nothing is read (`aten/src/ATen/native/cuda/Equal.cpp`, 2.11).
    if not left.numel() or (
        left.is_set_to(right)
        and left.dtype == right.dtype
        and left.is_neg() == right.is_neg()
        and left.is_conj() == right.is_conj()
    ):
        return True
    return torch.eq(left, right).all().item()


# Of so many elements one kernel finds the most frequent.
MOST_OF_ONE_KERNEL = 2048


def _mode(tensor, dim=-1, keepdim=False):
    """Of more, the host reads where a kernel found it."""
    is_read = tensor.dim() and tensor.shape[dim] > MOST_OF_ONE_KERNEL
    if is_read and not torch.cuda.is_current_stream_capturing():
        return _on_host(aten.mode.default, tensor, dim, keepdim)
    values, indices = tensor.new_empty(0), tensor.new_empty(0, dtype=torch.int64)
    return aten.mode.values(tensor, dim, keepdim, values=values, indices=indices)


def _eigh(tensor, UPLO="L", compute_v=True):
    """The host reads whether it ended well."""
    if not torch.cuda.is_current_stream_capturing():
        _use_solver(tensor)
        return _on_host(aten._linalg_eigh.default, tensor, UPLO, compute_v)
    values, vectors = tensor.new_empty(0, dtype=tensor.real.dtype), tensor.new_empty(0)
    return aten._linalg_eigh.eigenvalues(
        tensor, UPLO, compute_v, eigenvalues=values, eigenvectors=vectors
    )


def _use_solver(tensor):
    """Has PyTorch make the thread's handle of cuSOLVER, which a capture that comes later finds."""
    made = vars(_handles).setdefault("made", set())
    if tensor.device not in made:
        made.add(tensor.device)
        torch.linalg.cholesky_ex(tensor.new_ones(1, 1))


def _to_dense(tensor, dtype=None, masked_grad=None):
    """A kernel of its own counts the positions that it adds values at."""
    result = torch.zeros(tensor.shape, dtype=dtype or tensor.dtype, device=tensor.device)
    if tensor.is_coalesced() or tensor.sparse_dim() < 2:
        return result.add_(tensor)
    sizes = tensor.shape[: tensor.sparse_dim()]
    first, *others = tensor._indices()
    for size, indices in zip(sizes[1:], others, strict=True):
        first = first * size + indices
    places = result.view(sizes.numel(), *tensor.shape[len(sizes) :])
    places.index_add_(0, first, tensor._values())
    return result


def _on_host(operator, *arguments, **keywords):
    """The host reads in the midst of it what to do next, or what to raise: it is computed there, and copied back. Not for a capture,
    which refuses what the host reads as on a GPU.
    """
    device = next(it.device for it in tree_leaves((arguments, keywords)) if is_on_gpu(it))
    given, by_name = tree_map(lambda it: it.cpu() if is_on_gpu(it) else it, (arguments, keywords))
    return tree_map(lambda it: it.to(device), operator(*given, **by_name))


# Factorizations whose host code reads how they ended if `check_errors` is given, with their variants for results that are there,
# which remain PyTorch's own.
CHECKED_IF_ASKED = {
    aten.linalg_cholesky_ex.default: aten.linalg_cholesky_ex.L,
    aten.linalg_inv_ex.default: aten.linalg_inv_ex.inverse,
    aten.linalg_lu_factor_ex.default: aten.linalg_lu_factor_ex.out,
    aten.linalg_ldl_factor_ex.default: aten.linalg_ldl_factor_ex.out,
    aten._linalg_solve_ex.default: aten._linalg_solve_ex.result,
}
INTEGERS = ("info", "pivots")


def _checked_if_asked(operator):
    into = CHECKED_IF_ASKED[operator]
    names = [it.name for it in into._schema.arguments if it.alias_info is not None]

    def checked(*arguments, check_errors=False, **keywords):
        first = arguments[0]
        results = {
            name: first.new_empty(0, dtype=torch.int32 if name in INTEGERS else first.dtype)
            for name in names
        }
        found = into(*arguments, **keywords, **results)
        if check_errors and results["info"].any().item():
            # It raises what PyTorch says of it.
            _on_host(operator, *arguments, check_errors=True, **keywords)
        return found

    return checked
