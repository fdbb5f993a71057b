"""The side stream waits for the main one before it uses the memory of the first table again."""

import torch

side = torch.cuda.Stream()
x = torch.full((1 << 20,), 1.0, device="cuda")


def on_the_side(function):
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        y = function()
    torch.cuda.current_stream().wait_stream(side)
    return y


def step():
    first = on_the_side(lambda: x + 1)
    torch.cuda._sleep(20_000_000)  # stands for long layers
    total = first * 10
    del first
    second = on_the_side(lambda: x + 100)
    return total + second


step()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step()
graph.replay()
torch.cuda.synchronize()
print("replay", y[0].item(), "eager", 121.0)
