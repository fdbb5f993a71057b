"""One call of an operator, as it was recorded."""

import dataclasses

import torch

from ..place import Place
from ..state.values import is_readable, storage_of

# Where an operator ran while the region was captured: in the graph, on the host, or on a stream that is not captured.
GRAPH, HOST, ELSEWHERE = "graph", "host", "elsewhere"


@dataclasses.dataclass(frozen=True)
class Operand:
    """A tensor that an operator was given, and which operator of the region wrote it last."""

    storage: int
    form: tuple
    producer: int | None


@dataclasses.dataclass
class Entry:
    """An operator with what it was given; its results are kept where they are asked for."""

    name: str
    place: Place | None
    operands: list[Operand]
    numbers: list
    where: str
    is_view: bool
    is_random: bool
    form: tuple
    values: list = dataclasses.field(default_factory=list)

    @property
    def key(self):
        """By which the same call is recognised in another run."""
        return self.name, self.place


def operand(tensor, producers):
    """What is noted of a tensor."""
    storage = storage_of(tensor) if is_readable(tensor) else 0
    return Operand(storage, form(tensor), producers.get(storage))


def form(tensor):
    """Sizes, strides and type."""
    strides = tensor.stride() if tensor.layout is torch.strided else ()
    return str(tensor.dtype).removeprefix("torch."), tuple(tensor.shape), strides


def where(tensors):
    """Where an operator on these tensors runs, while a capture runs."""
    if not any(it.is_cuda for it in tensors):
        return HOST
    return GRAPH if torch.cuda.is_current_stream_capturing() else ELSEWHERE
