# --- fails
import torch


class Bridge:
    """Calls a library that knows of no streams."""

    def __init__(self):
        self.stream = torch.cuda.default_stream()

    def update(self, table):
        with torch.cuda.stream(self.stream):
            table.add_(1)  # cgsan: CG206


bridge = Bridge()
table = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, capture_error_mode="relaxed"):
    bridge.update(table)
    out = table * 2
# --- fixed
import torch


class Bridge:
    """Calls a library that knows of no streams."""

    def __init__(self):
        self.stream = None

    def update(self, table):
        with torch.cuda.stream(self.stream):
            table.add_(1)


bridge = Bridge()
table = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, capture_error_mode="relaxed"):
    bridge.update(table)
    out = table * 2
# --- lookalike
import torch


class Bridge:
    def __init__(self):
        self.stream = torch.cuda.default_stream()

    def update(self, table):
        with torch.cuda.stream(self.stream):
            table.add_(1)


bridge = Bridge()
table = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    out = table * 2
for _ in range(3):
    bridge.update(table)
    graph.replay()
