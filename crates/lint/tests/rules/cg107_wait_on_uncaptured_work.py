# --- fails
import torch


class Copier:
    def __init__(self):
        self.stream = torch.cuda.Stream()
        self.done = torch.cuda.Event()

    def start(self, target, source):
        with torch.cuda.stream(self.stream):
            target.copy_(source, non_blocking=True)
            self.done.record(self.stream)

    def finish(self):
        torch.cuda.current_stream().wait_event(self.done)  # cgsan: CG107


copier = Copier()
static = torch.zeros(8, device="cuda")
copier.start(static, torch.ones(8).pin_memory())
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    copier.finish()
    y = static * 2
# --- fixed
import torch


class Copier:
    def __init__(self):
        self.stream = torch.cuda.Stream()
        self.done = torch.cuda.Event()

    def start(self, target, source):
        with torch.cuda.stream(self.stream):
            target.copy_(source, non_blocking=True)
            self.done.record(self.stream)

    def finish(self):
        torch.cuda.current_stream().wait_event(self.done)


copier = Copier()
static = torch.zeros(8, device="cuda")
copier.start(static, torch.ones(8).pin_memory())
copier.finish()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = static * 2
# --- lookalike
import torch

side = torch.cuda.Stream()
x = torch.ones(8, device="cuda")
ready = torch.cuda.Event()
ready.record()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
    ready.record()
    side.wait_event(ready)
    with torch.cuda.stream(side):
        z = y + 1
    torch.cuda.current_stream().wait_stream(side)
