"""The graphs share a pool and are replayed in the order of their captures."""

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
    return x * x


x = torch.full((4,), 2.0, device="cuda")
smoothing, left = capture(smooth, x)
squaring, right = capture(square, x)
smoothing.replay()
squaring.replay()
replayed = [left[0].item(), right[0].item()]
print("replay", replayed, "eager", [smooth(x)[0].item(), square(x)[0].item()])
