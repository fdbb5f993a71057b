"""The garbage collector is off for the length of the capture, so a cycle that holds a graph outlives it."""

import gc
import weakref

import torch


class Holder:
    def __init__(self, graph):
        self.graph = graph
        self.cycle = self


x = torch.ones(4, device="cuda")
holder = Holder(torch.cuda.CUDAGraph())
with torch.cuda.graph(holder.graph):
    y = x + 1
gone = weakref.ref(holder)

gc.collect()
gc.disable()
new = torch.cuda.CUDAGraph()
with torch.cuda.graph(new):
    del holder
    z = [x + i for i in range(64)][-1]
    assert gone() is not None
gc.enable()
new.replay()
