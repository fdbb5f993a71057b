"""The values that a region's inputs have at each call: they change from call to call, as they do in use."""

from __future__ import annotations

from collections.abc import Container, Iterable

import torch
from torch.utils._pytree import tree_leaves

from .state.values import is_readable, keep, storage_of, unwatched


class Inputs:
    """The static inputs of a region, and the values to write into them before each call."""

    def __init__(
        self, inputs: tuple[object, ...], also: Iterable[Iterable[object]] | None, calls: int
    ) -> None:
        self._tensors = [it for it in tree_leaves(inputs) if isinstance(it, torch.Tensor)]
        self._given = [keep(it) if _is_writable(it) else None for it in self._tensors]
        self._kept: set[int] = set()
        self._also: list[list[torch.Tensor]] | None = None
        if also is not None:
            self._also = [self._values(inputs, it) for it in also]
            calls = max(calls, 1 + len(self._also))
        self.calls = calls

    def keep_written(self, storages: Container[int]) -> None:
        """Leaves those alone that the region itself writes: the next call goes on with what the last one wrote."""
        for number, tensor in enumerate(self._tensors):
            if self._given[number] is not None and storage_of(tensor) in storages:
                self._kept.add(number)

    def write(self, call: int) -> None:
        """Writes the values of a call, counted from 0, into the tensors."""
        for number, (tensor, given) in enumerate(zip(self._tensors, self._given, strict=True)):
            if number not in self._kept and given is not None:
                unwatched(tensor).copy_(self._value(number, given, call))

    def _value(self, number: int, given: torch.Tensor, call: int) -> torch.Tensor:
        if self._also is None:
            return _changed(given, call) if call and given.is_floating_point() else given
        turn = call % (1 + len(self._also))
        return self._also[turn - 1][number] if turn else given

    def _values(self, inputs: tuple[object, ...], others: Iterable[object]) -> list[torch.Tensor]:
        values = tree_leaves(tuple(others))
        names = [it for it in tree_leaves(inputs) if isinstance(it, torch.Tensor)]
        values = [it for it in values if isinstance(it, torch.Tensor)]
        if len(values) != len(names) or any(
            a.shape != b.shape for a, b in zip(values, names, strict=True)
        ):
            raise ValueError(
                "`also` holds other inputs than the region has: a graph takes those of its capture, in their sizes"
            )
        return [keep(it) for it in values]


def _is_writable(tensor: torch.Tensor) -> bool:
    is_expanded = any(stride == 0 for stride in tensor.stride()) if is_readable(tensor) else True
    return not is_expanded


def _changed(values: torch.Tensor, call: int) -> torch.Tensor:
    """Other values of the same range: rows change places, and where all are alike, they get smaller."""
    if values.dim() and len(values) > 1:
        turned = values.roll(call % len(values) or 1, 0)
        if not torch.equal(turned, values):
            return turned
    if not values.any():
        return torch.full_like(values, float(call))
    return values / (call + 1)
