"""The bytes of tensors, storage by storage: tensors that share memory are saved once, whatever their views."""

from __future__ import annotations

from collections.abc import Iterable

import torch

STRIDED = (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer)
# The part of a GPU's free memory that one saved storage may take.
PART = 8


class SavedStorages:
    """Copies of the storages of tensors."""

    def __init__(self, tensors: Iterable[torch.Tensor]) -> None:
        self._saved: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
        for tensor in tensors:
            if is_readable(tensor):
                key = storage_of(tensor)
                if key not in self._saved:
                    there = _bytes(tensor)
                    self._saved[key] = (there, keep(there))

    def put_back(self) -> None:
        for there, saved in self._saved.values():
            if not _same(there, saved):
                there.copy_(saved)

    def changed(self) -> set[int]:
        """The storages whose bytes are not those that were saved."""
        return {key for key, (there, saved) in self._saved.items() if not _same(there, saved)}

    def __contains__(self, tensor: torch.Tensor) -> bool:
        return storage_of(tensor) in self._saved

    def saved(self, tensor: torch.Tensor) -> torch.Tensor:
        """What a tensor held that is in one of the storages."""
        _, saved = self._saved[storage_of(tensor)]
        return _over(saved, tensor)


def is_readable(tensor: torch.Tensor) -> bool:
    """Whether its values are bytes in a storage of its own."""
    return (
        type(tensor) in STRIDED
        and tensor.layout is torch.strided
        and tensor.device.type in ("cpu", "cuda")
        and not tensor.is_quantized
        and tensor.untyped_storage().nbytes() > 0
    )


def storage_of(tensor: torch.Tensor) -> int:
    """What names the storage of a tensor."""
    return tensor.untyped_storage().data_ptr()


def names_by_storage(tensors: dict[str, torch.Tensor]) -> dict[int, str]:
    """The first path that leads to each storage, of tensors by path."""
    return {storage_of(it): path for path, it in reversed(tensors.items()) if is_readable(it)}


def keep(tensor: torch.Tensor) -> torch.Tensor:
    """A copy: on the device, or on the host if it would take much of the device's memory."""
    with torch.no_grad():
        if tensor.is_cuda:
            free, _ = torch.cuda.mem_get_info(tensor.device)
            if tensor.numel() * tensor.element_size() > free // PART:
                return tensor.detach().cpu()
        return tensor.detach().clone()


def unwatched(tensor: torch.Tensor) -> torch.Tensor:
    """The same memory, for writing: neither autograd nor the version of the program's tensor takes note of it."""
    return _over(tensor, tensor)


def _bytes(tensor: torch.Tensor) -> torch.Tensor:
    return torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(tensor.untyped_storage())


def _over(place: torch.Tensor, form: torch.Tensor) -> torch.Tensor:
    """A tensor in the storage of `place`, laid out as `form` is in its own."""
    empty = torch.empty(0, dtype=form.dtype, device=place.device)
    return empty.set_(place.untyped_storage(), form.storage_offset(), form.size(), form.stride())


def _same(there: torch.Tensor, saved: torch.Tensor) -> bool:
    return torch.equal(there, saved if saved.device == there.device else saved.to(there.device))
