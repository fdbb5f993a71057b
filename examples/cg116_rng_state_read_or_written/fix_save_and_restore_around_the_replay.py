"""The state is saved and set around the replay, which then draws the same numbers again."""

import torch

torch.cuda.init()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    x = torch.randint(1 << 20, (64,), device="cuda")

state = torch.cuda.get_rng_state()
graph.replay()
first = x.tolist()
torch.cuda.set_rng_state(state)
graph.replay()
assert x.tolist() == first
graph.replay()
assert x.tolist() != first
