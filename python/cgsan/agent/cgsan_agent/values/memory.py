"""Tensors of the CPU in the memory of tensors of the virtual GPU, whose addresses are addresses of this process."""

import ctypes

import torch

from . import sparse

functorch = torch._C._functorch

# Storages that were looked at, by address, bytes and type. They own no memory: one that is gone costs nothing.
_storages = {}
STORAGES = 16_384


def is_on_gpu(value):
    """Whether it is a tensor of the virtual GPU."""
    return isinstance(value, torch.Tensor) and value.device.type == "cuda"


def unwrapped(value):
    """The tensor within those that functorch has wrapped around it."""
    while isinstance(value, torch.Tensor) and functorch.is_functorch_wrapped_tensor(value):
        value = functorch.get_unwrapped(value)
    return value


def on_cpu(tensor):
    """A tensor of the CPU in the same memory, which it does not keep alive."""
    # It has the elements of the one within, as a batched one has not.
    while functorch.is_gradtrackingtensor(tensor):
        tensor = functorch.get_unwrapped(tensor)
    if tensor._is_zerotensor():
        return torch.zeros(tensor.shape, dtype=tensor.dtype, device="cpu")
    if tensor.layout is not torch.strided:
        return sparse.of_parts(tensor, [on_cpu(it) for it in sparse.parts(tensor)])
    if tensor.is_nested:
        return _nested(tensor)
    storage = tensor.untyped_storage()
    found = view(
        storage.data_ptr(),
        storage.nbytes(),
        tensor.storage_offset(),
        tensor.dtype,
        tensor.size(),
        tensor.stride(),
    )
    if tensor.is_conj():
        found = found.conj()
    if tensor.is_neg():
        found = torch._neg_view(found)
    return found


def _nested(tensor):
    """A nested tensor of strided ones, which says on the host where in its storage each of them is."""
    storage = tensor.untyped_storage()
    size = storage.nbytes()
    count = size // tensor.dtype.itemsize
    return torch._nested_view_from_buffer(
        view(storage.data_ptr(), size, 0, tensor.dtype, (count,), (1,)),
        tensor._nested_tensor_size(),
        tensor._nested_tensor_strides(),
        tensor._nested_tensor_storage_offsets(),
    )


def view(address, size, offset, dtype, sizes, strides):
    """A tensor of the CPU in a storage of so many bytes at an address."""
    if size == 0:
        return torch.empty(sizes, dtype=dtype, device="cpu")
    whole = _storages.get((address, size, dtype))
    if whole is None:
        whole = _whole(address, size, dtype)
    return whole.as_strided(sizes, strides, offset)


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
