"""A stream cannot wait for the event of a finished capture, no more than the host can."""

import torch

a = torch.randn(64, device="cuda")
done = torch.cuda.Event()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    b = a + 1
    done.record()

graph.replay()
torch.cuda.Stream().wait_event(done)
