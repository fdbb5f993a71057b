"""Each replay draws new numbers from a generator that is registered with the graph."""

import torch

generator = torch.Generator(device="cuda").manual_seed(7)
graph = torch.cuda.CUDAGraph()
graph.register_generator_state(generator)
with torch.cuda.graph(graph):
    x = torch.randint(1 << 30, (4,), generator=generator, device="cuda")

seen = set()
for _ in range(3):
    graph.replay()
    seen.add(tuple(x.tolist()))
assert len(seen) == 3, "a replay drew what another had drawn"
