# --- fails
import torch


class RingBuffer:
    """Hands out slots whose last use has ended."""

    def __init__(self, slots):
        self.slots = [torch.zeros(1024, device="cuda") for _ in range(slots)]
        self.used = torch.cuda.Event()
        self.used.record()

    def acquire(self):
        if self.used.query():  # cgsan: CG110
            return self.slots[0]
        return self.slots[1]


ring = RingBuffer(2)
x = torch.ones(1024, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    slot = ring.acquire()
    slot.copy_(x)
# --- fixed
import torch


class RingBuffer:
    """Hands out slots whose last use has ended."""

    def __init__(self, slots):
        self.slots = [torch.zeros(1024, device="cuda") for _ in range(slots)]
        self.used = torch.cuda.Event()
        self.used.record()

    def acquire(self):
        if self.used.query():
            return self.slots[0]
        return self.slots[1]


ring = RingBuffer(2)
x = torch.ones(1024, device="cuda")
slot = ring.acquire()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    slot.copy_(x)
# --- lookalike
import torch

done = torch.cuda.Event()
x = torch.ones(1024, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
graph.replay()
done.record()
while not done.query():
    pass
assert torch.cuda.current_stream().query()
