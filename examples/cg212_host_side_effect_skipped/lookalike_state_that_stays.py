"""A region sets things up once, fills a scratch array anew, notes the time, borrows from a pool, and lets objects end that count
themselves: nothing that a replay leaves out moves on by the region's doing."""

import collections
import queue
import time
import weakref

import numpy
import torch

sizes, kinds = set(), collections.Counter()
scratch, ended = numpy.zeros(4), []
begun = torch.zeros(1)
factors = queue.LifoQueue()
factors.put(2)


class Scope:
    ended = 0

    def __del__(self):
        Scope.ended += 1


class Clock:
    def __init__(self):
        self.last = 0.0


def step(x):
    sizes.add(len(x))
    kinds.update({"step": 1} if not kinds else {})
    scratch[:] = 0
    scratch[len(x)] += 1
    begun.fill_(1)
    setattr(clock, "last", time.monotonic())  # noqa: B010
    weakref.finalize(Scope(), ended.append, len(x))
    factor = factors.get_nowait()
    factors.put(factor)
    return x * float(scratch.sum()) * factor


clock = Clock()
x = torch.ones(3, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step(x)
replayed, eager = [], []
for value in range(4):
    x.fill_(value)
    graph.replay()
    replayed.append(y.tolist())
for value in range(4):
    eager.append(step(x.fill_(value)).tolist())
print("replay", replayed, "eager", eager)
