"""The device is idle before the replay and after it; its branches still run at the same time."""

import torch

side = torch.cuda.Stream()
x = torch.full((1 << 20,), 1.0, device="cuda")


def on_the_side(function):
    with torch.cuda.stream(side):
        y = function()
    torch.cuda.current_stream().wait_stream(side)
    return y


def step():
    side.wait_stream(torch.cuda.current_stream())
    first = on_the_side(lambda: x + 1)
    torch.cuda._sleep(20_000_000)
    total = first * 10
    del first
    second = on_the_side(lambda: x + 100)
    return total + second


step()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step()
torch.cuda.synchronize()
graph.replay()
torch.cuda.synchronize()
assert y.eq(121.0).all(), y
