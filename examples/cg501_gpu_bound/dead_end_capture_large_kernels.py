"""A graph of a few large kernels takes as long as the kernels do."""

import torch

a = torch.randn(8192, 8192, device="cuda")
b = torch.empty_like(a)


def step():
    for _ in range(10):
        torch.mm(a, a, out=b)


def milliseconds(run):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    run()
    begin.record()
    run()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end)


eager = milliseconds(step)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    step()
replayed = milliseconds(graph.replay)
assert replayed < 0.8 * eager, f"eager {eager:.2f} ms, replayed {replayed:.2f} ms"
