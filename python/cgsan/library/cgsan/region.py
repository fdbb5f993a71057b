"""A region that is verified: its function, its static inputs, and the state that each run begins with."""

import contextlib
import dataclasses
import warnings

import torch

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

    def __init__(self, function, arguments, inputs: Inputs, tolerance: Tolerance):
        self.function = function
        self.arguments = arguments
        self.inputs = inputs
        self.tolerance = tolerance
        self.base = None
        self._stream = torch.cuda.Stream()

    def call_alone(self, number, mode=None):
        """Runs it with the inputs of a call, counted from 0, and nothing else at the same time: it may use other streams."""
        self.inputs.write(number)
        torch.cuda.synchronize()
        with mode or contextlib.nullcontext():
            result = self.function(*self.arguments)
        torch.cuda.synchronize()
        return result

    @contextlib.contextmanager
    def on_stream(self):
        """Runs what is inside of it on the region's stream, with nothing at the same time."""
        torch.cuda.synchronize()
        with torch.cuda.stream(self._stream):
            yield
        torch.cuda.synchronize()

    def warm_up(self, before, runs):
        """Runs the function until it has made what it makes at first, and takes its state then for that of all runs."""
        with self.on_stream():
            for number in range(runs):
                self.call_alone(0)
                if number == 0:
                    self.inputs.keep_written(before.storages.changed())
        self.base = Snapshot(self.function, self.arguments)

    def capture(self, mode=None):
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
