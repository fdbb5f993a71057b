"""The inputs are views of one buffer, on the host and on the device: one copy serves them all."""

import torch

host = torch.empty(3, 1024).pin_memory()
device = torch.empty(3, 1024, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    a, b, c = device.unbind()
    y = a * b + c

for step in range(1, 4):
    for row, value in enumerate((step, 2, 5)):
        host[row].fill_(value)
    device.copy_(host, non_blocking=True)
    graph.replay()
    torch.cuda.synchronize()  # the host writes into `host` again
    assert y[0].item() == step * 2 + 5
