"""An external event is recorded by every replay, and may be asked after it."""

import torch

a = torch.randn(64, device="cuda")
done = torch.cuda.Event(external=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    b = a + 1
    done.record()

graph.replay()
done.synchronize()
assert done.query()
