"""Two graphs share a pool; the second is replayed first, and the first writes a temporary over its output."""

import torch

pool = torch.cuda.graph_pool_handle()


def capture(function, x):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        y = function(x)
    return graph, y


def smooth(x):
    scaled = x * 3
    return scaled + 5


def square(x):
    return x * x  # cgsan: label


x = torch.full((4,), 2.0, device="cuda")
smoothing, left = capture(smooth, x)
squaring, right = capture(square, x)
squaring.replay()
smoothing.replay()  # cgsan: CG214
replayed = [left[0].item(), right[0].item()]
print("replay", replayed, "eager", [smooth(x)[0].item(), square(x)[0].item()])
