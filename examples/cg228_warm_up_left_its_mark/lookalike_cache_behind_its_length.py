"""The length is put back after the warm-up; the rows of the cache behind it are masked, whatever they hold."""

import torch

keys = torch.zeros(8, device="cuda")
length = torch.zeros(1, dtype=torch.long, device="cuda")
value = torch.ones(1, device="cuda")
rows = torch.arange(8, device="cuda")
total = torch.zeros((), device="cuda")


def step():
    keys.index_copy_(0, length, value)
    total.copy_((keys * (rows <= length)).sum())
    length.add_(1)


def serve(step):
    for number in (1.0, 2.0, 3.0):
        value.fill_(number)
        step()
    return [total.item()]


saved = length.clone()
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        step()
torch.cuda.current_stream().wait_stream(side)
length.copy_(saved)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    step()
replayed = serve(graph.replay)
length.copy_(saved)
print("replay", replayed, "eager", serve(step))
