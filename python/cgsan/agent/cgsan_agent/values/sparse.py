"""The dense tensors that a sparse tensor consists of."""

import torch

BY_ROWS = torch.sparse_csr, torch.sparse_bsr


def parts(tensor):
    """Those that say where its values are, then its values. A dense tensor consists of itself."""
    if tensor.layout is torch.strided:
        return [tensor]
    if tensor.layout is torch.sparse_coo:
        return [tensor._indices(), tensor._values()]
    if tensor.layout in BY_ROWS:
        return [tensor.crow_indices(), tensor.col_indices(), tensor.values()]
    return [tensor.ccol_indices(), tensor.row_indices(), tensor.values()]


def of_parts(like, parts):
    """A sparse tensor as another one, of these parts. PyTorch's public functions may warn of what they do not check."""
    form = {"dtype": like.dtype, "layout": like.layout, "device": parts[-1].device}
    if like.layout is torch.sparse_coo:
        return torch.ops.aten._sparse_coo_tensor_with_dims_and_tensors(
            like.sparse_dim(),
            like.dense_dim(),
            like.shape,
            *parts,
            **form,
            is_coalesced=like.is_coalesced(),
        )
    return torch.ops.aten._sparse_compressed_tensor_unsafe(*parts, like.shape, **form)
