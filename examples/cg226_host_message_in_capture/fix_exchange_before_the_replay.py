"""Each replay follows a message of its own, and reads what was received from a static tensor."""

import multiprocessing

import torch

receiver, sender = multiprocessing.Pipe(duplex=False)
x = torch.ones(4, device="cuda")
scale = torch.ones(1, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * scale

values, results = [1.0, 2.0, 3.0], []
for value in values:
    sender.send(value)
for _ in values:
    scale.copy_(torch.tensor([receiver.recv()]))
    graph.replay()
    results.append(y[0].item())
assert results == values
assert not receiver.poll(), "every message was read"
