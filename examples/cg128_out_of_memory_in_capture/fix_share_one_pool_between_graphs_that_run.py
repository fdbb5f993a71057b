"""The second graph of a pool uses the memory of the first one's temporaries again."""

import torch

_, total = torch.cuda.mem_get_info()
size = int(total * 0.6)
x = torch.ones(8, device="cuda")


def step():
    temporary = torch.empty(size, dtype=torch.uint8, device="cuda")
    temporary.fill_(1)
    return x + 1


first = torch.cuda.CUDAGraph()
second = torch.cuda.CUDAGraph()
with torch.cuda.graph(first):
    y = step()
with torch.cuda.graph(second, pool=first.pool()):
    z = step()
first.replay()
second.replay()
