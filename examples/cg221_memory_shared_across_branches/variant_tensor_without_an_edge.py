"""The side stream forks before the tensor is written that it reads."""

import torch

x = torch.zeros(4, device="cuda")
scratch = torch.zeros(4, device="cuda")
side = torch.cuda.Stream()


def step():
    main = torch.cuda.current_stream()
    side.wait_stream(main)
    scratch.copy_(x * 2)  # cgsan: label
    with torch.cuda.stream(side):
        right = scratch + 1  # cgsan: CG221
    left = scratch - 1
    main.wait_stream(side)
    return left * right


graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    y = step()
graph.replay()
