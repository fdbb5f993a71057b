"""What a call of a region left: what it returned, and the state that it changed."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING

import torch
from torch.utils._pytree import tree_flatten_with_path

from .state.reach import Plain, Reached, reach
from .state.values import is_readable, keep, storage_of
from .tolerance import Gap, OtherForm

if TYPE_CHECKING:
    from .graphed import Compared
    from .region import Region


@dataclasses.dataclass
class Observed:
    """Copies of results and of changed state, by name, and the state that is as it was."""

    values: dict[str, torch.Tensor]
    unchanged: dict[str, torch.Tensor]
    plain: dict[str, Plain]


class Difference:
    """A result or a part of the state that is not what it is after the eager call."""

    def __init__(self, name: str, gap: Gap | OtherForm) -> None:
        self.name = name
        self.gap = gap

    def __str__(self) -> str:
        return f"`{self.name}`: {self.gap}"


def observe(region: Region | Compared, result: object, reached: Reached | None = None) -> Observed:
    """Keeps what a call left. `reached` is what the function reaches, if no Python has run since that was found out."""
    reached = reached or reach(region.function, region.arguments)
    changed = region.base.storages.changed()
    values: dict[str, torch.Tensor] = {}
    unchanged: dict[str, torch.Tensor] = {}
    for keys, value in tree_flatten_with_path(result)[0]:
        if isinstance(value, torch.Tensor) and is_readable(value):
            values["result" + "".join(map(str, keys))] = keep(value)
    for path, tensor in reached.tensors.items():
        if is_readable(tensor):
            if tensor in region.base.storages and storage_of(tensor) not in changed:
                unchanged[path] = tensor
            else:
                values[path] = keep(tensor)
    return Observed(values, unchanged, reached.plain)


def differences(
    region: Region | Compared, expected: Observed, got: Observed, noise: Mapping[str, float]
) -> list[Difference]:
    """What is different after a replay. `noise` says by how much eager runs differ, by name."""
    found = []
    for name in [*expected.values, *(it for it in got.values if it not in expected.values)]:
        left, right = _value(region, expected, name), _value(region, got, name)
        # Of what only one of them has, the structure differs: that is the host's.
        if left is not None and right is not None:
            gap = region.tolerance.gap(left, right, noise.get(name, 0.0))
            if gap is not None:
                found.append(Difference(name, gap))
    return found


def _value(region: Region | Compared, observed: Observed, name: str) -> torch.Tensor | None:
    if name in observed.values:
        return observed.values[name]
    tensor = observed.unchanged.get(name)
    return None if tensor is None else region.base.storages.saved(tensor)
