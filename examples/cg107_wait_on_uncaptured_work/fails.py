"""An event that was recorded before the capture is waited on inside it."""

import torch

x = torch.ones(1024, device="cuda")
loader = torch.cuda.Stream()
loaded = torch.cuda.Event()
with torch.cuda.stream(loader):
    x.mul_(2)
    loaded.record()

graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    torch.cuda.current_stream().wait_event(loaded)  # cgsan: CG107
    y = x + 1
graph.replay()
