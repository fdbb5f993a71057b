"""Whether two storages of the GPU hold the same, by their addresses."""

from __future__ import annotations

import gc
from collections.abc import Container

import torch


def hold_the_same(one: int, other: int) -> bool | None:
    """Whether the storages that begin at two addresses hold the same bytes; None where no tensor of the program leads to one."""
    found = _storages({one, other})
    if len(found) < 2:
        return None
    bytes_of_one, bytes_of_other = (_bytes(found[it]) for it in (one, other))
    return torch.equal(bytes_of_one, bytes_of_other)


def _storages(addresses: Container[int]) -> dict[int, torch.UntypedStorage]:
    """The storages of tensors that begin at some addresses."""
    found = {}
    for it in gc.get_objects():
        if issubclass(type(it), torch.Tensor) and it.is_cuda and it.layout == torch.strided:
            address = it.untyped_storage().data_ptr()
            if address in addresses:
                found[address] = it.untyped_storage()
    return found


def _bytes(storage: torch.UntypedStorage) -> torch.Tensor:
    return torch.empty(0, dtype=torch.uint8, device=storage.device).set_(storage)
