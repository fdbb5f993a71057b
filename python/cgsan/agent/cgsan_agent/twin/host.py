"""Tensors of the host that operators of the GPU are given: what a graph has of them is what they held at its capture."""

import zlib

import torch

# Elements that are compared of one tensor, and told of.
COMPARED = 8_192
TOLD = 8
# Operators that copy a tensor of the host to the GPU as it is when they run: in a graph, at each replay.
COPYING = ("aten::copy_", "aten::_to_copy")
# What gives back a tensor that Python has just made.
LIFTED = "aten.lift_fresh.default"


class Host:
    """What a region makes in the memory of the host."""

    def __init__(self):
        # Where these storages begin.
        self._made = set()

    def ran(self, name, given, results):
        """Takes note of what an operator of the host has made."""
        known = set() if name == LIFTED else {_storage(it) for it in given}
        self._made.update(_storage(it) for it in results if _storage(it) not in known)

    def describe(self, name, tensor):
        """What is known of a tensor that an operator of the GPU is given. Of one from before the region, a copy reads what it holds
        at each replay; a number goes into the graph."""
        form = ("cpu", tuple(tensor.shape), str(tensor.dtype))
        is_copied = name in COPYING
        is_frozen = _storage(tensor) in self._made if is_copied else tensor.dim() == 0
        if not is_frozen or tensor.numel() > COMPARED:
            return form
        values = tensor.detach().reshape(-1).tolist()
        first = ", ".join(str(it) for it in values[:TOLD])
        more = ", …" if len(values) > TOLD else ""
        text = f"[{first}{more}]" if is_copied else first
        return (*form, zlib.crc32(repr(values).encode()), text)


def _storage(value):
    if not isinstance(value, torch.Tensor) or value.is_cuda:
        return None
    try:
        return value.untyped_storage().data_ptr()
    except Exception:
        return None
