"""The graph is captured in inference mode, and a request outside of it refills the static input."""

import torch

weight = torch.ones(8, device="cuda")

with torch.inference_mode():
    static = torch.zeros(4, 8, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        output = static * weight

batch = torch.ones(4, 8, device="cuda")
static.copy_(batch)  # cgsan: CG132
with torch.inference_mode():
    graph.replay()
torch.cuda.synchronize()
