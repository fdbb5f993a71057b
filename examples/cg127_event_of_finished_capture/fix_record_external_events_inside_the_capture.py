"""Record external events inside the capture."""

import torch

a = torch.randn(64, device="cuda")
start = torch.cuda.Event(enable_timing=True, external=True)
end = torch.cuda.Event(enable_timing=True, external=True)
graph = torch.cuda.CUDAGraph()

with torch.cuda.graph(graph):
    start.record()
    b = a + 1
    end.record()

graph.replay()
torch.cuda.synchronize()
print(start.elapsed_time(end), "ms")
