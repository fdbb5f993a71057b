"""Deleting an object and collecting garbage does not release a graph that its class holds."""

import gc
import weakref

import torch


class Runner:
    graph = None

    def capture(self, x):
        Runner.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(Runner.graph):
            self.y = x + 1


runner = Runner()
runner.capture(torch.ones(8, device="cuda"))
alive = weakref.ref(Runner.graph)
del runner
gc.collect()
assert alive() is None, "the class still holds the graph"
