"""A callback that the captured function calls is Python too: it runs once, during the capture."""

import torch

x = torch.ones(4, device="cuda")
seen = []


def step(on_step):
    on_step("step")
    return x * 2


graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step(seen.append)

for _ in range(3):
    graph.replay()
assert len(seen) == 1 + 3, "a replay calls no Python"
