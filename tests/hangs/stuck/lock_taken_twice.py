"""A decorator takes one lock around a capture, and the captured layer's own method takes it again."""

# says: every thread waits for a lock or a condition that only another one of them can release
# attach says: capture under way: MainThread
# attach says: CG405

import functools
import threading

import torch

one_at_a_time = threading.Lock()


def exclusive(function):
    @functools.wraps(function)
    def wrapper(*arguments):
        with one_at_a_time:  # cgsan: CG405
            return function(*arguments)

    return wrapper


class Layer:
    def __init__(self, width):
        self.weight = torch.ones(width, width, device="cuda")

    @exclusive
    def scale(self):
        return self.weight.norm()

    def __call__(self, x):
        return x @ self.weight / self.scale()


@exclusive
def capture(layer, x):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        layer(x)
    return graph


x = torch.ones(4, 64, device="cuda")
layer = Layer(64)
layer(x)
capture(layer, x).replay()
