"""A tensor pinned inside the capture is filled once: replays do not see what the original holds later."""

import torch

batch = torch.zeros(4)
x = torch.empty(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    x.copy_(batch.pin_memory(), non_blocking=True)

batch.fill_(1.0)
graph.replay()
assert x.tolist() == batch.tolist(), f"the replay copied {x.tolist()}"
