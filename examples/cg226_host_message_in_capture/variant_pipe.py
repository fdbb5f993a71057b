"""A worker is told its scale through a pipe; the replays leave the messages there, unread."""

import multiprocessing

import torch


class Worker:
    def __init__(self):
        self.receiver, self.sender = multiprocessing.Pipe(duplex=False)
        self.input = torch.ones(4, device="cuda")
        self.staging = torch.ones(1, pin_memory=True)
        self.scale = torch.ones(1, device="cuda")

    def step(self):
        self.staging.fill_(self.receiver.recv())  # cgsan: CG226
        self.scale.copy_(self.staging, non_blocking=True)
        return self.input * self.scale


worker, reference = Worker(), Worker()
worker.sender.send(1.0)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    y = worker.step()

replayed, eager = [], []
for value in (2.0, 3.0, 4.0):
    worker.sender.send(value)
    graph.replay()
    replayed.append(y[0].item())
    reference.sender.send(value)
    eager.append(reference.step()[0].item())
print("replay", replayed, "eager", eager)
