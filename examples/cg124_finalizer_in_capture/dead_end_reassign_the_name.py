"""The name is reassigned before the capture, but a cycle keeps the old graph for the garbage collector."""

import gc

import torch


class Step:
    def __init__(self):
        self.graph = torch.cuda.CUDAGraph()
        self.run = lambda: self.graph.replay()


x = torch.ones(4, device="cuda")
step = Step()
with torch.cuda.graph(step.graph):
    y = x + 1
gc.disable()
step = Step()
with torch.cuda.graph(step.graph):
    gc.collect()  # stands for the collection that any allocation may start
    z = x + 2
step.run()
