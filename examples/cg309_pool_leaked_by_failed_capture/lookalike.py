"""The program's own exception leaves the capture, which ends well: its pool goes with the graph."""

import gc

import torch

graph = torch.cuda.CUDAGraph()
try:
    with torch.cuda.graph(graph):
        x = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")
        x[:1].fill_(1)
        raise LookupError("no such row")
except LookupError:
    del x
del graph
gc.collect()
torch.cuda.empty_cache()
y = torch.zeros(8, device="cuda")
