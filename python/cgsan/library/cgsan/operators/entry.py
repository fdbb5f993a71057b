"""One call of an operator, as it was recorded."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Final, Literal, TypeAlias

import torch

from ..place import Place
from ..state.values import is_readable, storage_of
from ..tolerance import Number

# Where an operator ran while the region was captured: in the graph, on the host, or on a stream that is not captured.
Where: TypeAlias = Literal["graph", "host", "elsewhere"]
GRAPH: Final = "graph"
HOST: Final = "host"
ELSEWHERE: Final = "elsewhere"
# The type, sizes and strides of a tensor.
Form: TypeAlias = tuple[str, tuple[int, ...], tuple[int, ...]]


@dataclasses.dataclass(frozen=True)
class Operand:
    """A tensor that an operator was given, and which operator of the region wrote it last."""

    storage: int
    form: Form
    producer: int | None


@dataclasses.dataclass
class Entry:
    """An operator with what it was given; its results are kept where they are asked for."""

    name: str
    place: Place | None
    operands: list[Operand]
    numbers: list[Number]
    where: Where
    is_view: bool
    is_random: bool
    form: tuple[Form, ...]
    values: list[torch.Tensor] = dataclasses.field(default_factory=list)

    @property
    def key(self) -> tuple[str, Place | None]:
        """By which the same call is recognised in another run."""
        return self.name, self.place


def operand(tensor: torch.Tensor, producers: Mapping[int, int]) -> Operand:
    """What is noted of a tensor."""
    storage = storage_of(tensor) if is_readable(tensor) else 0
    return Operand(storage, form(tensor), producers.get(storage))


def form(tensor: torch.Tensor) -> Form:
    strides = tensor.stride() if tensor.layout is torch.strided else ()
    return str(tensor.dtype).removeprefix("torch."), tuple(tensor.shape), strides


def where(tensors: Iterable[torch.Tensor]) -> Where:
    """Where an operator on these tensors runs, while a capture runs."""
    if not any(it.is_cuda for it in tensors):
        return HOST
    return GRAPH if torch.cuda.is_current_stream_capturing() else ELSEWHERE
