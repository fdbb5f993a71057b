"""A captured function waits for an event that nobody sets; earlier graphs are in a list and in a local variable."""

# attach says: capture under way: MainThread
# attach says: in `graphs` of module __main__
# attach says: `first` in
# attach says: waits for an event to be set
# attach says: CG405

import threading

import torch

x = torch.ones(8, device="cuda")
graphs = []
never = threading.Event()


def capture(function):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        function()
    return graph


def wait():
    x.add_(1)
    never.wait()


def serve():
    first = capture(lambda: x.mul_(2))
    graphs.extend(capture(lambda: x.add_(1)) for _ in range(3))
    capture(wait)
    first.replay()


serve()
