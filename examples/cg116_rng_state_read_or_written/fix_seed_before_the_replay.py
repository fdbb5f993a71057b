"""The seed is set before the replay, which begins with the generator's seed and offset of that moment."""

import torch

torch.cuda.init()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    x = torch.randint(1 << 20, (64,), device="cuda")

torch.cuda.manual_seed(7)
graph.replay()
first = x.tolist()
torch.cuda.manual_seed(7)
graph.replay()
assert x.tolist() == first
torch.cuda.manual_seed(8)
graph.replay()
assert x.tolist() != first
