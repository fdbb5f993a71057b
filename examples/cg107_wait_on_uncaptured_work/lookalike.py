"""An event that was also recorded before the capture is recorded anew inside it, then waited on."""

import torch

x = torch.ones(1024, device="cuda")
side = torch.cuda.Stream()
ready = torch.cuda.Event()
ready.record()

graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    ready.record()
    side.wait_event(ready)
    with torch.cuda.stream(side):
        y = x + 1
    torch.cuda.current_stream().wait_stream(side)
graph.replay()
