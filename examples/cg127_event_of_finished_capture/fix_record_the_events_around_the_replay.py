"""The events are recorded around the replay, on the stream that replays."""

import torch

a = torch.randn(64, device="cuda")
start = torch.cuda.Event(enable_timing=True)
end = torch.cuda.Event(enable_timing=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    b = a + 1

start.record()
graph.replay()
end.record()
end.synchronize()
assert start.elapsed_time(end) >= 0
