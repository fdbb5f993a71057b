"""Each of twelve layers is a graph of its own, and a step replays them one after the other."""

import torch

layers = [torch.nn.Linear(32, 32).cuda() for _ in range(12)]
x = torch.ones(16, 32, device="cuda")
graphs, outputs = [], [x]
with torch.no_grad():
    layers[0](x)
    for layer in layers:
        graph = torch.cuda.CUDAGraph()
        pool = graphs[0].pool() if graphs else None
        with torch.cuda.graph(graph, pool=pool):
            outputs.append(torch.relu(layer(outputs[-1])))
        graphs.append(graph)

for step in range(6):
    x.fill_(step)
    for graph in graphs:
        graph.replay()  # cgsan: CG503
print(outputs[-1].shape)
