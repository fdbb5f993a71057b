"""Between one layer and the next, the program does what no graph can hold: it looks at a result."""

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
    for graph, output in zip(graphs, outputs[1:], strict=True):
        graph.replay()
        assert output.min().item() >= 0
