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
# --- a view of NumPy is read where it is made
import numpy
import torch

x = torch.zeros(4, device="cuda")
host = torch.zeros(4, pin_memory=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    host.copy_(x * 2, non_blocking=True)
graph.replay()
print(host.numpy())  # cgsan: CG227
graph.replay()
print(host.numpy()[0])  # cgsan: CG227
graph.replay()
total = host.numpy().sum()  # cgsan: CG227
graph.replay()
mean = numpy.mean(host.numpy())  # cgsan: CG227
# --- a view of NumPy that was made before the replays is read behind each
import torch

x = torch.zeros(4, device="cuda")
host = torch.zeros(4, pin_memory=True)
view = host.numpy()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    host.copy_(x * 2, non_blocking=True)
for _ in range(3):
    graph.replay()
    if view[0] > 0:  # cgsan: CG227
        break
graph.replay()
doubled = view * 2  # cgsan: CG227
graph.replay()
is_large = view > 3  # cgsan: CG227
graph.replay()
kept = torch.tensor(view)  # cgsan: CG227
graph.replay()
text = f"{view}"  # cgsan: CG227
graph.replay()
largest = max(view)  # cgsan: CG227
graph.replay()
for value in view:
    print(value)  # cgsan: CG227
# --- a row of a view is read
import torch

x = torch.zeros(4, 4, device="cuda")
host = torch.zeros((4, 4), pin_memory=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    host.copy_(x * 2, non_blocking=True)
graph.replay()
row = host.numpy()[0]
values = row.tolist()  # cgsan: CG227
# --- silent: the view is made before the wait and read after it
import numpy
import torch

x = torch.zeros(4, device="cuda")
host = torch.zeros(4, pin_memory=True)
done = torch.cuda.Event()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    host.copy_(x * 2, non_blocking=True)
views = []
for _ in range(3):
    graph.replay()
    done.record()
    view = host.numpy()
    square = view.reshape(2, 2)
    first = square[0]
    part = numpy.asarray(view)[1:]
    views.append(view[:2])
    if view is not None and len(view) == 4 and view.shape == (4,):
        done.synchronize()
    print(view.copy(), square.sum(), first[1], part[0], view[0] + 1)
# --- silent: a method makes the view and its caller waits
import torch


class Engine:
    def __init__(self):
        self.x = torch.zeros(4, device="cuda")
        self.host = torch.zeros(4).pin_memory()
        self.done = torch.cuda.Event()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.host.copy_(self.x * 2, non_blocking=True)

    def start(self, batch):
        self.x.copy_(batch, non_blocking=True)
        self.graph.replay()
        self.done.record()
        return self.host.numpy()


engine = Engine()
result = engine.start(torch.ones(4, device="cuda"))
engine.done.synchronize()
print(result.tolist())
