# --- fails
import threading

import torch


class Heartbeat:
    def __init__(self):
        self.event = torch.cuda.Event()
        self.event.record()
        self.stopped = False

    def beat(self):
        while not self.stopped:
            self.event.query()  # cgsan: CG111


heartbeat = Heartbeat()
thread = threading.Thread(target=heartbeat.beat, daemon=True)
thread.start()
static = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    for _ in range(1000):
        static.mul_(2)
heartbeat.stopped = True
thread.join()
# --- fixed
import threading

import torch


class Heartbeat:
    def __init__(self):
        self.event = torch.cuda.Event()
        self.event.record()
        self.stopped = False

    def beat(self):
        while not self.stopped:
            self.event.query()


heartbeat = Heartbeat()
thread = threading.Thread(target=heartbeat.beat, daemon=True)
thread.start()
static = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, capture_error_mode="thread_local"):
    for _ in range(1000):
        static.mul_(2)
heartbeat.stopped = True
thread.join()
# --- lookalike
import threading

import torch


def tokenize(queue):
    for _ in range(4):
        queue.append(torch.arange(16).reshape(4, 4))


queue = []
thread = threading.Thread(target=tokenize, args=(queue,))
thread.start()
static = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = static * 2
thread.join()
