# --- a worker is told to end what its owner began
import threading

import torch


class Session:
    def __init__(self):
        self.graph = torch.cuda.CUDAGraph()
        self.stream = torch.cuda.Stream()

    def finish(self):
        with torch.cuda.stream(self.stream):
            self.graph.capture_end()  # cgsan: CG125


session = Session()
x = torch.ones(8, device="cuda")
torch.cuda.synchronize()
with torch.cuda.stream(session.stream):
    session.graph.capture_begin()
    y = x + 1
    worker = threading.Thread(target=session.finish)
    worker.start()
    worker.join()
# --- a lambda ends it
from threading import Thread

import torch
from torch.cuda import set_stream

graph = torch.cuda.CUDAGraph()
stream = torch.cuda.Stream()
x = torch.ones(8, device="cuda")
with torch.cuda.stream(stream):
    graph.capture_begin(capture_error_mode="thread_local")
    y = x + 1
    thread = Thread(target=lambda: (set_stream(stream), graph.capture_end()))  # cgsan: CG125
    thread.start()
    thread.join()
# --- a thread of the program's own class
import threading

import torch


class Closer(threading.Thread):
    def __init__(self, graph, stream):
        super().__init__()
        self.graph = graph
        self.stream = stream

    def run(self):
        torch.cuda.set_stream(self.stream)
        self.graph.capture_end()  # cgsan: CG125


graph, stream = torch.cuda.CUDAGraph(), torch.cuda.Stream()
x = torch.ones(8, device="cuda")
with torch.cuda.stream(stream):
    graph.capture_begin()
    y = x + 1
    closer = Closer(graph, stream)
    closer.start()
    closer.join()
# --- silent: mode `relaxed` lets any thread end it
import threading

import torch

graph = torch.cuda.CUDAGraph()
stream = torch.cuda.Stream()
x = torch.ones(8, device="cuda")


def finish():
    with torch.cuda.stream(stream):
        graph.capture_end()


with torch.cuda.stream(stream):
    graph.capture_begin(capture_error_mode="relaxed")
    y = x + 1
    thread = threading.Thread(target=finish)
    thread.start()
    thread.join()
# --- silent: one thread does all of it
import threading

import torch


def capture():
    graph = torch.cuda.CUDAGraph()
    x = torch.ones(8, device="cuda")
    with torch.cuda.stream(torch.cuda.Stream()):
        graph.capture_begin()
        y = x + 1
        graph.capture_end()


thread = threading.Thread(target=capture)
thread.start()
thread.join()
