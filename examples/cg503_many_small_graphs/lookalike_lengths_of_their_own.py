"""Each stage hands on as many rows as a request has: a number that one graph of all stages could not follow."""

import torch

pool = torch.cuda.graph_pool_handle()
stages = []
for _ in range(12):
    x = torch.zeros(16, 32, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        y = torch.relu(x) + 1
    stages.append((graph, x, y))

for rows in (3, 16, 5, 9, 1, 12):
    before = torch.ones(16, 32, device="cuda")
    for graph, x, y in stages:
        x[:rows].copy_(before[:rows])
        graph.replay()
        before = y
    assert before[rows - 1, 0].item() == 13.0
