"""A region that is verified: its function, its static inputs, and the state that each run begins with."""

from __future__ import annotations

import contextlib
import dataclasses
import warnings
from collections.abc import Callable, Iterator

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .inputs import Inputs
from .state.snapshot import Snapshot
from .tolerance import Tolerance

# How PyTorch says that a graph has no node, which it tells in no other way (`CUDAGraph.cpp`, 2.6 to 2.15).
EMPTY = "The CUDA Graph is empty"


@dataclasses.dataclass
class Captured:
    """A graph and what the function returned while it was captured."""

    graph: torch.cuda.CUDAGraph
    result: object
    # Whether nothing was recorded.
    is_empty: bool


class Region:
    """What is run eagerly and by replays, all on one stream, from one state."""

    # The state that each run begins with, once it has warmed up.
    base: Snapshot

    def __init__(
        self,
        function: Callable[..., object],
        arguments: tuple[object, ...],
        inputs: Inputs,
        tolerance: Tolerance,
    ) -> None:
        self.function = function
        self.arguments = arguments
        self.inputs = inputs
        self.tolerance = tolerance
        self._stream = torch.cuda.Stream()

    def call_alone(self, number: int, mode: TorchDispatchMode | None = None) -> object:
        """Runs it with the inputs of a call, counted from 0, and nothing else at the same time: it may use other streams."""
        self.inputs.write(number)
        torch.cuda.synchronize()
        with mode or contextlib.nullcontext():
            result = self.function(*self.arguments)
        torch.cuda.synchronize()
        return result

    @contextlib.contextmanager
    def on_stream(self) -> Iterator[None]:
        """Runs what is inside of it on the region's stream, with nothing at the same time."""
        torch.cuda.synchronize()
        with torch.cuda.stream(self._stream):
            yield
        torch.cuda.synchronize()

    def warm_up(self, before: Snapshot, runs: int) -> None:
        """Runs the function until it has made what it makes at first, and takes its state then for that of all runs."""
        with self.on_stream():
            for number in range(runs):
                self.call_alone(0)
                if number == 0:
                    self.inputs.keep_written(before.storages.changed())
        self.base = Snapshot(self.function, self.arguments)

    def capture(self, mode: TorchDispatchMode | None = None) -> Captured:
        """Captures the function, under a dispatch mode if there is one."""
        graph = torch.cuda.CUDAGraph()
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            with torch.cuda.graph(graph, stream=self._stream), mode or contextlib.nullcontext():
                result = self.function(*self.arguments)
        empty = [it for it in seen if EMPTY in str(it.message)]
        for other in seen:
            if other not in empty:
                warnings.warn_explicit(other.message, other.category, other.filename, other.lineno)
        return Captured(graph, result, bool(empty))
