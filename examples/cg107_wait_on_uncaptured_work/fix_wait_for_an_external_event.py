"""A wait for an external event is a node: each replay waits for the event's latest record."""

import torch

ready = torch.cuda.Event(external=True)
producer = torch.cuda.Stream()
x = torch.zeros(4, device="cuda")
y = torch.empty_like(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    torch.cuda.current_stream().wait_event(ready)
    y.copy_(x)

producer.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(producer):
    x.copy_(torch.full((4,), 3.0))
    ready.record()
graph.replay()
assert y.tolist() == [3.0] * 4
