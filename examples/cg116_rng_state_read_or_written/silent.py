"""The random state is read and written inside a capture: refused before PyTorch 2.10."""

import torch

noise = torch.empty(1024, device="cuda").normal_()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    state = torch.cuda.get_rng_state()
    noise.normal_()
    torch.cuda.set_rng_state(state)
graph.replay()
