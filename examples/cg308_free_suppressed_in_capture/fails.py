"""A buffer of the warm-up is freed inside the capture, which cannot have its memory."""

import torch

MIB = 1 << 20
buffer = torch.empty(512 * MIB, dtype=torch.uint8, device="cuda").fill_(1)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    del buffer  # cgsan: CG308
    torch.cuda.empty_cache()
    y = torch.empty(512 * MIB, dtype=torch.uint8, device="cuda").fill_(2)
graph.replay()
torch.cuda.synchronize()
