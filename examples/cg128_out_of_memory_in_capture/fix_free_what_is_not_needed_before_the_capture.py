"""What is not needed is dropped before the capture, whose entry gives the cache back to the device."""

import torch

_, total = torch.cuda.mem_get_info()
x = torch.empty(int(total * 0.6), dtype=torch.uint8, device="cuda")
graph = torch.cuda.CUDAGraph()

del x
with torch.cuda.graph(graph):
    y = torch.empty(int(total * 0.6), dtype=torch.uint8, device="cuda")
    y.fill_(1)
graph.replay()
