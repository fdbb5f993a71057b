"""What is freed inside the capture was allocated there, and is used again."""

import torch

MIB = 1 << 20
buffer = torch.empty(512 * MIB, dtype=torch.uint8, device="cuda").fill_(1)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    temporary = torch.empty(512 * MIB, dtype=torch.uint8, device="cuda").fill_(1)
    del temporary
    y = torch.empty(512 * MIB, dtype=torch.uint8, device="cuda").fill_(2)
graph.replay()
torch.cuda.synchronize()
