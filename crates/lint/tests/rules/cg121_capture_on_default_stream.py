# --- fails
import torch


class Graphed:
    """Captures a function at its first call."""

    def __init__(self, function):
        self.function = function
        self.graph = None

    def __call__(self, x):
        if self.graph is None:
            self.graph = torch.cuda.CUDAGraph()
            self.graph.capture_begin()  # cgsan: CG121
            self.output = self.function(x)
            self.graph.capture_end()
        self.graph.replay()
        return self.output


double = Graphed(lambda x: x * 2)
double(torch.ones(8, device="cuda"))
# --- fixed
import torch


class Graphed:
    """Captures a function at its first call."""

    def __init__(self, function):
        self.function = function
        self.graph = None

    def __call__(self, x):
        if self.graph is None:
            self.graph = torch.cuda.CUDAGraph()
            self.graph.capture_begin()
            self.output = self.function(x)
            self.graph.capture_end()
        self.graph.replay()
        return self.output


double = Graphed(lambda x: x * 2)
with torch.cuda.stream(torch.cuda.Stream()):
    double(torch.ones(8, device="cuda"))
# --- lookalike
import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
assert torch.cuda.current_stream() == torch.cuda.default_stream()
with torch.cuda.graph(graph):
    y = x * 2
with torch.cuda.stream(torch.cuda.default_stream()):
    graph.replay()
