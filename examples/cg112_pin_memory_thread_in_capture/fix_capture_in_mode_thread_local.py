"""In mode `thread_local` the pin-memory thread may work during the capture."""

import time

import torch
from torch.utils.data import DataLoader, TensorDataset

static_input = torch.zeros(2, 64, device="cuda")
static_output = torch.empty_like(static_input)
graph = None
data = TensorDataset(torch.arange(1024.0).reshape(16, 64))
for (batch,) in DataLoader(data, batch_size=2, num_workers=1, pin_memory=True):
    static_input.copy_(batch)
    if graph is None:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, capture_error_mode="thread_local"):
            time.sleep(0.5)
            static_output.copy_(static_input)
    graph.replay()
    assert static_output.tolist() == batch.tolist()
