"""The buffers are ordinary tensors: the graph writes them in inference mode, the program outside of it."""

import torch

static = torch.zeros(4, 8, device="cuda")
output = torch.zeros(4, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.inference_mode(), torch.cuda.graph(graph):
    output.copy_(static * 2)

for value in (1.0, 2.0):
    static.copy_(torch.full((4, 8), value, device="cuda"))
    with torch.inference_mode():
        graph.replay()
    result = output.clone()
torch.cuda.synchronize()
