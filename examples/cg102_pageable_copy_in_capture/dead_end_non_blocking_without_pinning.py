"""`non_blocking=True` does not pin the memory that is copied."""

import torch

batch = torch.ones(4)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    x = batch.to("cuda", non_blocking=True)
