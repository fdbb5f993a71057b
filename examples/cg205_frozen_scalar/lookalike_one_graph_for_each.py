"""The number is an attribute that each capture has its own value of; before a replay it is whatever the last capture left."""

import torch


class Sampler:
    def __init__(self):
        self.temperature = 1.0

    def __call__(self, logits):
        return torch.softmax(logits / self.temperature, -1)


sampler = Sampler()
logits = torch.arange(4.0, device="cuda")
sampler(logits)
torch.cuda.synchronize()
graphs = {}
pool = torch.cuda.graph_pool_handle()
for temperature in (0.5, 1.0, 2.0):
    sampler.temperature = temperature
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        probabilities = sampler(logits)
    graphs[temperature] = graph, probabilities
for temperature in (2.0, 1.0, 0.5, 1.0):
    graph, probabilities = graphs[temperature]
    graph.replay()
    print(temperature, round(probabilities[-1].item(), 3))
