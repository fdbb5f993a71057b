"""A step counts its calls by a property, `setattr`, an attribute of its function, a context variable and a value of the thread."""

import contextvars
import threading

import torch


class Meter:
    def __init__(self):
        self._steps = 0
        self.samples = 0

    @property
    def steps(self):
        return self._steps

    @steps.setter
    def steps(self, value):
        self._steps = value  # cgsan: CG212


def step(x):
    meter.steps += 1
    setattr(meter, "samples", meter.samples + len(x))  # noqa: B010 # cgsan: CG212
    step.calls += 1  # cgsan: CG212
    depth.set(depth.get() + 1)  # cgsan: CG212
    of_thread.calls += 1  # cgsan: CG212
    return x * 2


meter = Meter()
step.calls = 0
depth = contextvars.ContextVar("depth", default=0)
of_thread = threading.local()
of_thread.calls = 0
x = torch.zeros(3, device="cuda")
step(x)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    y = step(x)
for _ in range(4):
    graph.replay()  # cgsan: label
print("counted", meter.steps, meter.samples, step.calls, depth.get(), of_thread.calls, "made", 6)
