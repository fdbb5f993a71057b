"""Results of operators that nobody computes."""

import torch
from torch.utils._pytree import tree_map_only

from . import forms

# Where the memory of results begins that is nowhere, and to what their places are rounded.
NOWHERE = 1 << 52
ALIGNMENT = 512
# Bytes that a made-up result may have: of sizes that are uncomputed values, nothing can be said.
LARGEST = 1 << 44


def of_virtual_gpu(operator, arguments, keywords, _device):
    """Has the virtual GPU run the operator: in the child, it computes nothing."""
    return operator(*arguments, **keywords)


class Nowhere:
    """Makes results whose memory is nowhere, for a GPU that must not be asked: only their forms are found out."""

    lies_nowhere = True

    def __init__(self):
        self._next = NOWHERE

    def __call__(self, operator, arguments, keywords, device):
        """What the operator gives, with no memory behind it."""
        form = _form_on_gpu if operator._schema.name in forms.FROM_HOST else _form
        arguments, keywords = tree_map_only(
            (torch.Tensor, torch.device, torch.Generator), form, (arguments, keywords)
        )
        found = forms.of(operator)(*arguments, **keywords)
        return tree_map_only(
            torch.Tensor, lambda it: self._tensor(it, device) if it.is_meta else it, found
        )

    def _tensor(self, form, device):
        last = sum(
            (n - 1) * abs(step) for n, step in zip(form.shape, form.stride(), strict=False) if n
        )
        elements = form.storage_offset() + last + 1 if form.numel() else 0
        count = elements * form.element_size()
        if count > LARGEST:
            raise MemoryError
        address = self._next
        self._next += max(ALIGNMENT, -(-count // ALIGNMENT) * ALIGNMENT)
        storage = torch._C._construct_storage_from_data_pointer(address, device, count)
        description = {
            "size": tuple(form.shape),
            "stride": tuple(form.stride()),
            "storage_offset": form.storage_offset(),
            "dtype": form.dtype,
            "device": device,
            "nbytes": count,
            "data_ptr": address,
        }
        return torch._C._construct_CUDA_Tensor_From_Storage_And_Metadata(description, storage)


def _form_on_gpu(value):
    return value if isinstance(value, torch.Tensor) and not value.is_cuda else _form(value)


def _form(value):
    if isinstance(value, torch.device):
        return torch.device("meta")
    if isinstance(value, torch.Generator):
        return None
    if not value.is_cuda and value.dim() == 0:
        return value
    return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device="meta")
