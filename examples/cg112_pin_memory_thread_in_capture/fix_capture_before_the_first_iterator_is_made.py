"""The pin-memory thread starts with the first iterator, after the capture."""

import torch
from torch.utils.data import DataLoader, TensorDataset

static_input = torch.zeros(2, 64, device="cuda")
static_output = torch.empty_like(static_input)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    static_output.copy_(static_input)

data = TensorDataset(torch.arange(512.0).reshape(8, 64))
for (batch,) in DataLoader(data, batch_size=2, num_workers=1, pin_memory=True):
    assert batch.is_pinned()
    static_input.copy_(batch, non_blocking=True)
    graph.replay()
    assert static_output.tolist() == batch.tolist()
