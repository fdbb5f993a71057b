# --- a loader that pins, while the first step is captured in its loop
import torch
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(torch.ones(64, 8)), batch_size=8, num_workers=1, pin_memory=True)
static = torch.zeros(8, 8, device="cuda")
graph = None
for (batch,) in loader:  # cgsan: CG112
    static.copy_(batch, non_blocking=True)
    if graph is None:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = static * 2
    graph.replay()
# --- a staging thread pins what comes next
import threading

import torch


class Stager:
    def __init__(self):
        self.ready = []

    def run(self):
        for _ in range(4):
            self.ready.append(torch.zeros(1 << 20).pin_memory())  # cgsan: CG112


stager = Stager()
worker = threading.Thread(target=stager.run)
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    worker.start()
    y = x + 1
    worker.join()
# --- a logger's thread reads the loss of the last step
import threading

import torch


def log(loss):
    print(float(loss))  # cgsan: CG112


loss = torch.ones((), device="cuda")
x = torch.ones(8, device="cuda")
logger = threading.Thread(target=log, args=[loss])
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    logger.start()
    y = x + 1
    logger.join()
# --- silent: the loader does not pin
import torch
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(torch.ones(64, 8)), batch_size=8, pin_memory=False)
static = torch.zeros(8, 8, device="cuda")
graph = None
for (batch,) in loader:
    static.copy_(batch)
    if graph is None:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = static * 2
    graph.replay()
# --- silent: the capture is over before the loop, or minds its own thread only
import torch
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(torch.ones(64, 8)), batch_size=8, pin_memory=True)
static = torch.zeros(8, 8, device="cuda")
first = torch.cuda.CUDAGraph()
with torch.cuda.graph(first):
    y = static * 2
second = None
for (batch,) in loader:
    static.copy_(batch, non_blocking=True)
    if second is None:
        second = torch.cuda.CUDAGraph()
        with torch.cuda.graph(second, capture_error_mode="thread_local"):
            z = static * 3
    first.replay()
