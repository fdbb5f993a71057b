"""A thread computes a table during the capture, eagerly, from positions and frequencies that never change."""

import threading

import torch


class Rotation:
    def __init__(self):
        self.positions = torch.arange(4.0, device="cuda")
        self.frequencies = torch.tensor([1.0, 0.5], device="cuda")
        self.cosines = None

    def build(self):
        self.cosines = torch.cos(torch.outer(self.positions, self.frequencies))

    def forward(self, x):
        if self.cosines is None:
            builder = threading.Thread(target=self.build)
            builder.start()
            builder.join()
        return x * self.cosines


x = torch.zeros(4, 2, device="cuda")
rotation, reference = Rotation(), Rotation()
reference.forward(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, capture_error_mode="thread_local"):
    y = rotation.forward(x)

replayed, eager = [], []
for value in (1.0, 2.0, 3.0):
    x.fill_(value)
    graph.replay()
    replayed.append(y.sum().item())
    eager.append(reference.forward(x).sum().item())
print("replay", replayed, "eager", eager)
