"""A state with another seed cannot be set inside a capture, neither directly nor by `fork_rng`."""

import torch

torch.cuda.manual_seed(1)
state = torch.cuda.get_rng_state()
torch.cuda.manual_seed(2)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph), torch.random.fork_rng(devices=[0]):
    torch.cuda.set_rng_state(state)
    x = torch.rand(8, device="cuda")
graph.replay()
