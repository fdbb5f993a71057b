"""A side stream makes two tables; the memory of the first is given to the second while the main stream still reads it."""

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
    first = on_the_side(lambda: x + 1)  # cgsan: label
    torch.cuda._sleep(20_000_000)  # stands for long layers
    total = first * 10  # cgsan: label
    del first  # cgsan: label
    second = on_the_side(lambda: x + 100)  # cgsan: CG221
    return total + second


step()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    y = step()
graph.replay()
torch.cuda.synchronize()
print("replay", y[0].item(), "eager", 121.0)
