"""Two branches write columns of one tensor, each its own, and the rows of another."""

import torch

x = torch.ones(4, 4, device="cuda")
columns = torch.zeros(4, 4, device="cuda")
rows = torch.zeros(4, 4, device="cuda")
side = torch.cuda.Stream()


def step():
    main = torch.cuda.current_stream()
    side.wait_stream(main)
    columns[:, :2].copy_(x[:, :2] * 2)
    rows[:2].copy_(x[:2] * 2)
    with torch.cuda.stream(side):
        columns[:, 2:].copy_(x[:, 2:] * 3)
        rows[2:].copy_(x[2:] * 3)
    main.wait_stream(side)
    return (columns + rows).sum()


graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step()
graph.replay()
print("replay", [y.item()], "eager", [step().item()])
