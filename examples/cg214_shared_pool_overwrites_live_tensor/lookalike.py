"""Graphs of one pool run in another order than captured, but each output is copied before the next replay."""

import torch

pool = torch.cuda.graph_pool_handle()


def step(x):
    return (x * 3 + 5) * 2


inputs = [torch.full((4,), float(value), device="cuda") for value in range(3)]
graphs, outputs = [], []
for x in inputs:
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        outputs.append(step(x))
    graphs.append(graph)

results = {}
for round in range(2):
    for number in (2, 0, 1):
        inputs[number].add_(round)
        graphs[number].replay()
        results[number] = outputs[number].clone()
replayed = [results[number][0].item() for number in range(3)]
print("replay", replayed, "eager", [step(x)[0].item() for x in inputs])
