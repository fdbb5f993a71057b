# --- an exit stack enters the capture
import contextlib

import torch

x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with contextlib.ExitStack() as stack:
    stack.enter_context(torch.no_grad())
    stack.enter_context(torch.cuda.graph(graph))
    y = x * 2
    print(y.sum().item())  # cgsan: CG101
# --- a capture that is entered and left by hand, in methods
import torch


class Recorder:
    def __init__(self):
        self.graph = torch.cuda.CUDAGraph()
        self.context = torch.cuda.graph(self.graph)

    def begin(self):
        self.context.__enter__()

    def end(self):
        self.context.__exit__(None, None, None)


x = torch.ones(4, device="cuda")
recorder = Recorder()
recorder.begin()
y = x.sum().item()  # cgsan: CG101
recorder.end()
# --- a context of the program's, entered by a stack
import contextlib

import torch


@contextlib.contextmanager
def capturing(graph):
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        yield graph
    torch.cuda.synchronize()


x = torch.ones(4, device="cuda")
with contextlib.ExitStack() as stack:
    stack.enter_context(capturing(torch.cuda.CUDAGraph()))
    y = x.tolist()  # cgsan: CG102
# --- a context of the program's, as a decorator
import contextlib

import torch

graph = torch.cuda.CUDAGraph()


@contextlib.contextmanager
def captured():
    with torch.cuda.graph(graph):
        yield


@captured()
def step(x):
    return float(x.sum())  # cgsan: CG101


step(torch.ones(4, device="cuda"))
# --- a class of contexts without `__enter__` of its own
import contextlib

import torch


class Timed(contextlib.AbstractContextManager):
    def __exit__(self, *error):
        torch.cuda.current_stream().synchronize()  # cgsan: CG101


x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph), Timed() as timed:
    y = x * 2
# --- `finally` inside a capture by hand
import torch

x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.stream(torch.cuda.Stream()):
    graph.capture_begin()
    try:
        y = x * 2
    finally:
        print(x.max().item())  # cgsan: CG101
        graph.capture_end()
# --- silent: the capture that a stack entered has ended with it
import contextlib

import torch

x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with contextlib.ExitStack() as stack:
    stack.callback(torch.cuda.synchronize)
    stack.enter_context(torch.cuda.graph(graph))
    y = x * 2
print(y.sum().item())
# --- silent: a stream that is entered by hand is the current one
import torch


class Recorder:
    def __init__(self):
        self.stream = torch.cuda.Stream()
        self.graph = torch.cuda.CUDAGraph()

    def __enter__(self):
        self.context = torch.cuda.stream(self.stream)
        self.context.__enter__()
        self.graph.capture_begin()
        return self

    def __exit__(self, *error):
        self.graph.capture_end()
        self.context.__exit__(None, None, None)


x = torch.ones(4, device="cuda")
torch.cuda.synchronize()
with Recorder() as recorder:
    y = x * 2
print(x.sum().item())
# --- silent: what a context of the program's does after its capture
import contextlib

import torch


@contextlib.contextmanager
def capturing(graph):
    try:
        with torch.cuda.graph(graph):
            yield graph
    finally:
        torch.cuda.synchronize()


x = torch.ones(4, device="cuda")
stack = contextlib.ExitStack()
graph = stack.enter_context(capturing(torch.cuda.CUDAGraph()))
y = x * 2
stack.close()
graph.replay()
print(y.tolist())
# --- silent: exits that were moved to another stack run with it
import contextlib

import torch

x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    with contextlib.ExitStack() as stack:
        stack.callback(torch.cuda.synchronize)
        y = x * 2
        later = stack.pop_all()
later.close()
# --- a stack that enters the capture after another context, in a function
from contextlib import ExitStack

import torch


def record(function, x, no_grad=True):
    graph = torch.cuda.CUDAGraph()
    with ExitStack() as stack:
        if no_grad:
            stack.enter_context(torch.no_grad())
        stack.enter_context(torch.cuda.graph(graph))
        out = function(x).cpu()  # cgsan: CG102
    return graph, out


record(torch.sigmoid, torch.zeros(8, device="cuda"))
