"""Skip the query while capturing."""

import torch

x = torch.randn(8, device="cuda")
copied = torch.cuda.Event()
copied.record()


def poll():
    if torch.cuda.is_current_stream_capturing():
        return None
    return copied.query()


graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
    poll()

graph.replay()
print(poll())
