"""When functions of `atexit` run, class attributes and globals are still there, and so is the graph."""

import atexit
import os

import torch


class Runner:
    graph = torch.cuda.CUDAGraph()


def destroy_process_group():
    print("the group is destroyed now; the graph:", Runner.graph)
    if Runner.graph is not None:
        os._exit(1)


atexit.register(destroy_process_group)
x = torch.ones(8, device="cuda")
with torch.cuda.graph(Runner.graph):
    y = x + 1
Runner.graph.replay()
