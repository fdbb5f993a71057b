"""Tensors of the CPU in the memory of tensors of the virtual GPU, whose addresses are addresses of this process."""

import ctypes

import torch


def is_on_gpu(value):
    """Whether it is a tensor of the virtual GPU."""
    return isinstance(value, torch.Tensor) and value.device.type == "cuda"


def on_cpu(tensor):
    """A tensor of the CPU in the same memory, which it does not keep alive."""
    storage = tensor.untyped_storage()
    size = storage.nbytes()
    if size == 0:
        return torch.empty(tensor.shape, dtype=tensor.dtype, device="cpu")
    place = (ctypes.c_char * size).from_address(storage.data_ptr())
    bytes_there = torch.frombuffer(place, dtype=torch.uint8)
    view = torch.empty(0, dtype=tensor.dtype, device="cpu").set_(
        bytes_there.untyped_storage(), tensor.storage_offset(), tensor.size(), tensor.stride()
    )
    if tensor.is_conj():
        view = view.conj()
    if tensor.is_neg():
        view = torch._neg_view(view)
    return view


def with_memory(value):
    """The same tensor in memory, where autograd has made one of zeros that has none."""
    if isinstance(value, torch.Tensor) and value._is_zerotensor():
        return torch.zeros(value.shape, dtype=value.dtype, device=value.device)
    return value
