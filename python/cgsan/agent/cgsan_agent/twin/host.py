"""Tensors of the host that operators of the GPU are given: what a graph has of them is what they held at its capture."""

import zlib

import torch
from torch.utils._pytree import tree_flatten

# Elements that are compared of one tensor, and told of.
COMPARED = 8_192
TOLD = 8
# Operators that copy a tensor of the host to the GPU as it is when they run: in a graph, at each replay.
COPYING = ("aten::copy_", "aten::_to_copy")
# What gives back a tensor that Python has just made.
LIFTED = "aten.lift_fresh.default"
# What asks for pinned memory.
IS_PINNED = "aten.is_pinned.default"
PINNING = ("aten._pin_memory.default", "aten.pin_memory.default")


class Host:
    """What a region makes in the memory of the host."""

    def __init__(self, has_cuda):
        # Where these storages begin.
        self._made = set()
        # Those that operators of the GPU gave, such as the seed of a dropout: in a copy of the process, nobody has filled them.
        self._unfilled = set()
        # Without CUDA, as in a copy of a process on a real GPU, no memory can be pinned, and it cannot be asked whether it is.
        self._has_cuda = has_cuda
        self._pinned = set()

    def run(self, operator, arguments, keywords, given):
        """What an operator of the host gives, taking note of what it has made."""
        name = str(operator)
        if self._has_cuda:
            result = operator(*arguments, **keywords)
        elif name == IS_PINNED:
            storage = _storage(arguments[0])
            return storage not in self._made or storage in self._pinned
        elif name in PINNING:
            result = arguments[0].clone()
            self._pinned.add(_storage(result))
        else:
            result = operator(*arguments, **{**keywords, **_not_pinned(keywords)})
        known = set() if name == LIFTED else {_storage(it) for it in given}
        made = (_storage(it) for it in tree_flatten(result)[0])
        self._made.update(it for it in made if it not in known)
        return result

    def given_by_gpu(self, results):
        """Takes note of what an operator of the GPU has given."""
        self._unfilled.update(_storage(it) for it in results)

    def describe(self, name, tensor):
        """What is known of a tensor that an operator of the GPU is given. Of one from before the region, a copy reads what it holds
        at each replay; a number goes into the graph."""
        form = ("cpu", tuple(tensor.shape), str(tensor.dtype))
        is_copied = name in COPYING
        storage = _storage(tensor)
        is_frozen = storage in self._made if is_copied else tensor.dim() == 0
        if not is_frozen or storage in self._unfilled or tensor.numel() > COMPARED:
            return form
        values = tensor.detach().reshape(-1).tolist()
        first = ", ".join(str(it) for it in values[:TOLD])
        more = ", …" if len(values) > TOLD else ""
        text = f"[{first}{more}]" if is_copied else first
        return (*form, zlib.crc32(repr(values).encode()), text)


def _not_pinned(keywords):
    return {"pin_memory": False} if keywords.get("pin_memory") else {}


def _storage(value):
    if not isinstance(value, torch.Tensor) or value.is_cuda:
        return None
    try:
        return value.untyped_storage().data_ptr()
    except Exception:
        return None
