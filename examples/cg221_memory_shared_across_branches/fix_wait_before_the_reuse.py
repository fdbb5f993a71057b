"""The stream that a tensor was made on waits for the one that reads it, before the tensor is dropped."""

import torch

side = torch.cuda.Stream()
x = torch.full((1 << 20,), 1.0, device="cuda")


def step():
    main = torch.cuda.current_stream()
    side.wait_stream(main)
    with torch.cuda.stream(side):
        first = x + 1
    main.wait_stream(side)
    torch.cuda._sleep(20_000_000)
    total = first * 10
    side.wait_stream(main)
    del first
    with torch.cuda.stream(side):
        second = x + 100
    main.wait_stream(side)
    return total + second


step()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step()
graph.replay()
torch.cuda.synchronize()
assert y.eq(121.0).all(), y
