"""Code that also runs eagerly leaves out its query while it is captured."""

import torch

x = torch.ones(8, device="cuda")
copied = torch.cuda.Event()
copied.record()


def poll():
    if torch.cuda.is_current_stream_capturing():
        return None
    return copied.query()


graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
    assert poll() is None

graph.replay()
torch.cuda.synchronize()
assert poll()
