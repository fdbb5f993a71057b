"""A harness runs functions that it is given, and goes on by itself; some it runs as a graph too, some only eagerly."""

import torch


def run(function, x):
    y = function(x)
    return y * torch.ones_like(y)


def check(function, capture):
    x = torch.linspace(0, 1, 16, device="cuda").view(4, 4)
    eager = run(function, x)
    if not capture:
        return eager.sum().item(), eager.sum().item()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        replayed = run(function, x)
        # What opens files is not run again to see what it would do now.
        with open(__file__):
            pass
    graph.replay()
    return replayed.sum().item(), eager.sum().item()


cases = [
    (lambda x: x.sin(), True),
    (lambda x: x.unique(), False),
    (lambda x: x.cos() + x.exp(), True),
    (lambda x: x.sort()[0], True),
    (lambda x: x[x > 0], False),
    (lambda x: x.tanh() * 2, True),
]
replayed, eager = zip(*[check(*case) for case in cases], strict=True)
print("replay", list(replayed), "eager", list(eager))
