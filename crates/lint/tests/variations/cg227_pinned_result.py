# --- a flag decides
import torch

left = torch.full((), 3, device="cuda")
stop = torch.zeros((), dtype=torch.bool, pin_memory=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    left.sub_(1)
    stop.copy_(left <= 0, non_blocking=True)
for _ in range(8):
    graph.replay()
    if stop:  # cgsan: CG227
        break
# --- an engine returns a list
import torch


class Engine:
    def __init__(self):
        self.x = torch.zeros(4, device="cuda")
        self.host = torch.zeros(4).pin_memory()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.host.copy_(self.x * 2, non_blocking=True)

    def run(self, batch):
        self.x.copy_(batch, non_blocking=True)
        self.graph.replay()
        return self.host.tolist()  # cgsan: CG227


engine = Engine()
engine.run(torch.ones(4, device="cuda"))
# --- an element is printed
import torch

x = torch.zeros(4, device="cuda")
host = torch.zeros(4, pin_memory=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    host.copy_(x * 2, non_blocking=True)
graph.replay()
print(host[0])  # cgsan: CG227
# --- silent: it waits for the device, for a stream, by asking, or in code that is not seen
import torch
from server import wait

x = torch.zeros(4, device="cuda")
host = torch.zeros(4, pin_memory=True)
done = torch.cuda.Event()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    host.copy_(x * 2, non_blocking=True)
graph.replay()
torch.cuda.synchronize()
print(host[0])
graph.replay()
torch.cuda.current_stream().synchronize()
print(host[0])
graph.replay()
done.record()
while not done.query():
    pass
print(host[0])
graph.replay()
wait()
print(host[0])
# --- silent: two slots in turn
import torch


class Slot:
    def __init__(self):
        self.x = torch.zeros(4, device="cuda")
        self.host = torch.zeros((), pin_memory=True)
        self.done = torch.cuda.Event()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.host.copy_(self.x.sum(), non_blocking=True)

    def start(self):
        self.graph.replay()
        self.done.record()

    def result(self):
        self.done.synchronize()
        return self.host.item()


first, second = Slot(), Slot()
first.start()
second.start()
print(first.result(), second.result())
# --- silent: the host copies it itself
import torch

x = torch.zeros(4, device="cuda")
host = torch.zeros(4, pin_memory=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
for _ in range(3):
    graph.replay()
    host.copy_(y)
    print(host.tolist())
