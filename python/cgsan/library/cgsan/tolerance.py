"""How far two results may differ: by their type, as `torch.testing` has it, and by what two eager runs differ by."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from typing import TypeAlias

import torch

# What an element of a tensor is.
Number: TypeAlias = bool | int | float | complex

# Relative and absolute, of `torch.testing.assert_close`.
BY_TYPE = {
    torch.float16: (1e-3, 1e-5),
    torch.bfloat16: (1.6e-2, 1e-5),
    torch.float32: (1.3e-6, 1e-5),
    torch.float64: (1e-7, 1e-7),
    torch.complex32: (1e-3, 1e-5),
    torch.complex64: (1.3e-6, 1e-5),
    torch.complex128: (1e-7, 1e-7),
    torch.float8_e4m3fn: (1.25e-1, 2e-3),
    torch.float8_e5m2: (2.5e-1, 2e-3),
}
# A replay may differ from an eager run by this much more than two eager runs differ.
SLACK = 4
# Elements compared at a time, so that little memory is needed.
PART = 1 << 24


@dataclasses.dataclass
class Gap:
    """Where two tensors differ most beyond what is allowed."""

    largest: float
    elements: int
    of: int
    index: tuple[int, ...]
    expected: Number
    got: Number

    def __str__(self) -> str:
        where = f" at {list(self.index)}" if self.index else ""
        what = f"expected {_number(self.expected)}, got {_number(self.got)}{where}"
        if self.of > 1:
            what += (
                f"; {self.elements} of {self.of} elements differ, by up to {_number(self.largest)}"
            )
        return what


@dataclasses.dataclass
class OtherForm:
    """Two tensors of different sizes or types."""

    expected: str
    got: str

    def __str__(self) -> str:
        return f"expected {self.expected}, got {self.got}"


class Tolerance:
    """The tolerances of one verification: those of the caller where it gives them, else those of the types."""

    def __init__(self, relative: float | None = None, absolute: float | None = None) -> None:
        if (relative is None) != (absolute is None):
            raise ValueError("give `rtol` and `atol` together, or none of them")
        self._given = None if relative is None or absolute is None else (relative, absolute)

    def gap(
        self, expected: torch.Tensor, got: torch.Tensor, noise: float = 0.0
    ) -> Gap | OtherForm | None:
        """What is wrong with `got`, or None. `noise` is what eager runs differ by."""
        if expected.shape != got.shape or expected.dtype != got.dtype:
            return OtherForm(_form(expected), _form(got))
        relative, absolute = self._given or BY_TYPE.get(expected.dtype, (0.0, 0.0))
        # Sums in another order are wrong by a part of their largest terms, however little is left of those.
        scale = 0.0 if self._given else _scale(expected)
        worst: tuple[float, int] | None = None
        elements = begin = 0
        for left, right in _parts(expected, got):
            distance = _distance(left, right)
            allowed = left.abs().add_(scale).mul_(relative).add_(absolute + SLACK * noise)
            excess = distance - allowed.nan_to_num_(0.0, 0.0, 0.0)
            beyond = excess > 0
            count = int(beyond.sum())
            if count:
                elements += count
                most, at = torch.where(beyond, distance, 0).max(0)
                found = float(most), begin + int(at)
                worst = found if worst is None or found[0] > worst[0] else worst
            begin += left.numel()
        if worst is None:
            return None
        largest, place = worst
        return Gap(
            largest,
            elements,
            expected.numel(),
            _index(place, expected.shape),
            expected.reshape(-1)[place].item(),
            got.reshape(-1)[place].item(),
        )


def largest_difference(left: torch.Tensor, right: torch.Tensor) -> float:
    """By how much two eager runs differ, where that is a number."""
    if left.shape != right.shape or left.dtype != right.dtype:
        return 0.0
    found = 0.0
    for one, other in _parts(left, right):
        distance = _distance(one, other)
        found = max(found, float(torch.where(distance.isfinite(), distance, 0).max()))
    return found


def _scale(tensor: torch.Tensor) -> float:
    """The root of the mean square of its elements."""
    total = 0.0
    for part in torch.split(_flat(tensor), PART):
        values = part.to(_wide(part)).abs()
        total += float(torch.where(values.isfinite(), values, 0).square().sum())
    return math.sqrt(total / max(tensor.numel(), 1))


def _parts(left: torch.Tensor, right: torch.Tensor) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    right = right.to(left.device)
    parts = (torch.split(_flat(it), PART) for it in (left, right))
    for one, other in zip(*parts, strict=True):
        if one.numel():
            yield one.to(_wide(one)), other.to(_wide(other))


def _flat(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().resolve_conj().resolve_neg().reshape(-1)


def _wide(tensor: torch.Tensor) -> torch.dtype:
    return torch.complex128 if tensor.is_complex() else torch.float64


def _distance(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """How far elements are apart: nothing where both are the same infinity or no number."""
    same = (left == right) | (left.isnan() & right.isnan())
    return torch.where(same, 0, (left - right).abs()).nan_to_num_(float("inf"), float("inf"))


def _form(tensor: torch.Tensor) -> str:
    return f"{str(tensor.dtype).removeprefix('torch.')}{list(tensor.shape)}"


def _index(at: int, shape: Sequence[int]) -> tuple[int, ...]:
    index: list[int] = []
    for size in reversed(shape):
        at, place = divmod(at, size)
        index.append(place)
    return tuple(reversed(index))


def _number(value: Number) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
