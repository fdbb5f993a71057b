"""The values that a region's inputs have at each call: they change from call to call, as they do in use."""

import torch
from torch.utils._pytree import tree_leaves

from .state.values import is_readable, keep, storage_of, unwatched


class Inputs:
    """The static inputs of a region, and the values to write into them before each call."""

    def __init__(self, inputs, also, calls):
        self._tensors = [it for it in tree_leaves(inputs) if isinstance(it, torch.Tensor)]
        self._given = [keep(it) if _is_writable(it) else None for it in self._tensors]
        self._kept = set()
        self._sets = None
        if also is not None:
            self._sets = [self._given, *(self._values(inputs, it) for it in also)]
            calls = max(calls, len(self._sets))
        self.calls = calls

    def keep_written(self, storages):
        """Leaves those alone that the region itself writes: the next call goes on with what the last one wrote."""
        for number, tensor in enumerate(self._tensors):
            if self._given[number] is not None and storage_of(tensor) in storages:
                self._kept.add(number)

    def write(self, call):
        """Writes the values of a call, counted from 0, into the tensors."""
        for number, tensor in enumerate(self._tensors):
            if number not in self._kept and self._given[number] is not None:
                unwatched(tensor).copy_(self._value(number, call))

    def _value(self, number, call):
        if self._sets is not None:
            return self._sets[call % len(self._sets)][number]
        given = self._given[number]
        return _changed(given, call) if call and given.is_floating_point() else given

    def _values(self, inputs, others):
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


def _is_writable(tensor):
    is_expanded = any(stride == 0 for stride in tensor.stride()) if is_readable(tensor) else True
    return not is_expanded


def _changed(values, call):
    """Other values of the same range: rows change places, and where all are alike, they get smaller."""
    if values.dim() and len(values) > 1:
        turned = values.roll(call % len(values) or 1, 0)
        if not torch.equal(turned, values):
            return turned
    if not values.any():
        return torch.full_like(values, float(call))
    return values / (call + 1)
