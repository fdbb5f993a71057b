"""Each replay draws new numbers from the default generator, which every graph knows."""

import torch

torch.cuda.manual_seed(7)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    x = torch.randint(1 << 30, (4,), device="cuda")

seen = set()
for _ in range(3):
    graph.replay()
    seen.add(tuple(x.tolist()))
assert len(seen) == 3, "a replay drew what another had drawn"
