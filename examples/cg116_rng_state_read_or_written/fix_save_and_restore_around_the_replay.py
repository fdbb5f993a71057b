"""Save and restore around the replay."""

import torch

torch.cuda.init()
state = torch.cuda.get_rng_state()
graph = torch.cuda.CUDAGraph()

with torch.cuda.graph(graph):
    x = torch.randint(1024, (4,), device="cuda")

graph.replay()
first = x.tolist()
torch.cuda.set_rng_state(state)
graph.replay()
print(first, x.tolist())
