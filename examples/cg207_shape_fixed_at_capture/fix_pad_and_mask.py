"""A short batch is padded to the captured size, and a mask in the graph leaves the padding out."""

import torch

static = torch.zeros(4, 8, device="cuda")
length = torch.zeros((), dtype=torch.long, device="cuda")
rows = torch.arange(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    mask = (rows < length).unsqueeze(1)
    total = static.masked_fill(~mask, 0.0).sum(dim=0)


def run(batch):
    static[: len(batch)].copy_(batch)
    length.fill_(len(batch))
    graph.replay()
    return total.clone()


assert run(torch.ones(4, 8, device="cuda"))[0].item() == 4
assert run(torch.ones(2, 8, device="cuda"))[0].item() == 2
