"""Tensors of the GPU that are made again where only the object is gone, and what stands in for one whose memory is gone, too."""

import torch

# Where what stands in for memory that is gone begins, and its end.
GONE, END = 1 << 51, 1 << 52


class Form:
    """What a tensor has beside its memory."""

    def __init__(self, tensor):
        with torch._C.DisableTorchFunction():
            self.requires_grad = tensor.requires_grad
            self._device = tensor.device
            self._description = {
                "size": tuple(tensor.shape),
                "stride": tensor.stride(),
                "storage_offset": tensor.storage_offset(),
                "dtype": tensor.dtype,
                "device": tensor.device,
            }
            self._bytes = tensor.untyped_storage().nbytes()

    def in_storage(self, storage):
        """A tensor of this form in some memory."""
        description = {**self._description, "nbytes": storage.nbytes(), "data_ptr": 0}
        return torch._C._construct_CUDA_Tensor_From_Storage_And_Metadata(description, storage)

    def of_gone(self):
        """What stands in for it."""
        storage = torch._C._construct_storage_from_data_pointer(GONE, self._device, self._bytes)
        return self.in_storage(storage)


def is_plain(tensor):
    """Whether it is a tensor of the GPU like any other, with memory of its own or of another one."""
    if type(tensor) is not torch.Tensor:
        return False
    try:
        with torch._C.DisableTorchFunction():
            is_strided = tensor.layout is torch.strided and tensor.is_cuda
            is_other = tensor.is_conj() or tensor.is_neg()
            return is_strided and not is_other and tensor.untyped_storage().nbytes() > 0
    except Exception:
        return False  # A transform of PyTorch's stands before it.


def is_gone(tensor):
    """Whether it stands in for one whose memory is gone."""
    try:
        return GONE <= tensor.untyped_storage().data_ptr() < END
    except Exception:
        return False  # It has no memory of the kind.
