"""Each request gets an object with new caches, and the old ones are gone; the graph reads where they were."""

import torch


class Cache:
    def __init__(self, value):
        self.keys = [torch.full((4, 256), value, device="cuda") for _ in range(3)]
        self.values = [torch.full((4, 256), value, device="cuda") for _ in range(3)]


def step():
    hidden = x
    for key, value in zip(cache.keys, cache.values, strict=True):
        hidden = hidden * key + value  # cgsan: CG203
    return hidden


x = torch.ones(4, 256, device="cuda")
cache = Cache(1.0)
step()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step()

replayed, eager = [], []
for number in range(1, 4):
    cache = Cache(float(number))
    graph.replay()  # cgsan: label
    replayed.append(y[0, 0].item())
    eager.append(step()[0, 0].item())
print("replay", replayed, "eager", eager)
