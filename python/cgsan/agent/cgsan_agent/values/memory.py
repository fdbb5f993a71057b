"""Tensors of the CPU in the memory of tensors of the virtual GPU, whose addresses are addresses of this process."""

import ctypes

import torch

# Storages that were looked at, by address, bytes and type. They own no memory: one that is gone costs nothing.
_storages = {}
STORAGES = 16_384


def is_on_gpu(value):
    """Whether it is a tensor of the virtual GPU."""
    return isinstance(value, torch.Tensor) and value.device.type == "cuda"


def names_gpu(value):
    """Whether it is the device of a GPU, which an operator is given that makes a tensor there."""
    return isinstance(value, torch.device) and value.type == "cuda"


def on_cpu(tensor):
    """A tensor of the CPU in the same memory, which it does not keep alive."""
    if tensor.layout is torch.sparse_coo:
        # PyTorch's public functions may warn of what they do not check.
        return torch.ops.aten._sparse_coo_tensor_with_dims_and_tensors(
            tensor.sparse_dim(),
            tensor.dense_dim(),
            tensor.shape,
            on_cpu(tensor._indices()),
            on_cpu(tensor._values()),
            dtype=tensor.dtype,
            layout=tensor.layout,
            device="cpu",
            is_coalesced=tensor.is_coalesced(),
        )
    if tensor.layout is torch.sparse_csr:
        return torch.ops.aten._sparse_compressed_tensor_unsafe(
            on_cpu(tensor.crow_indices()),
            on_cpu(tensor.col_indices()),
            on_cpu(tensor.values()),
            tensor.shape,
            dtype=tensor.dtype,
            layout=tensor.layout,
            device="cpu",
        )
    storage = tensor.untyped_storage()
    size = storage.nbytes()
    if size == 0:
        return torch.empty(tensor.shape, dtype=tensor.dtype, device="cpu")
    key = storage.data_ptr(), size, tensor.dtype
    whole = _storages.get(key)
    if whole is None:
        whole = _whole(*key)
    view = whole.as_strided(tensor.size(), tensor.stride(), tensor.storage_offset())
    if tensor.is_conj():
        view = view.conj()
    if tensor.is_neg():
        view = torch._neg_view(view)
    return view


def _whole(address, size, dtype):
    """All elements of a storage."""
    if len(_storages) >= STORAGES:
        _storages.clear()
    place = (ctypes.c_char * size).from_address(address)
    # Made in inference mode, others could not write to it.
    with torch.inference_mode(False):
        storage = torch.frombuffer(place, dtype=torch.uint8).untyped_storage()
        count = size // dtype.itemsize
        whole = torch.empty(0, dtype=dtype, device="cpu").set_(storage, 0, (count,), (1,))
    _storages[address, size, dtype] = whole
    return whole


def with_memory(value):
    """The same tensor in memory, where autograd has made one of zeros that has none."""
    if isinstance(value, torch.Tensor) and value._is_zerotensor():
        return torch.zeros(value.shape, dtype=value.dtype, device=value.device)
    return value
