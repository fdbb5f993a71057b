# --- the pool of the first graph, handed on, and graphs in lists
import torch


def step(x):
    return (x + 1) * 2


inputs = [torch.ones(4096, device="cuda") for _ in range(3)]
graphs = [torch.cuda.CUDAGraph() for _ in inputs]
streams = [torch.cuda.Stream() for _ in inputs]
outputs, pool = [], None
for graph, x in zip(graphs, inputs):
    with torch.cuda.graph(graph, pool=pool):
        outputs.append(step(x))
    pool = graph.pool()
for graph, stream in zip(graphs, streams):
    with torch.cuda.stream(stream):
        graph.replay()  # cgsan: CG216
torch.cuda.synchronize()
# --- ordered within a turn of the loop, but not between iterations
import torch

x = torch.ones(4096, device="cuda")
one, other = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(one):
    left = (x + 1) * 2
with torch.cuda.graph(other, pool=one.pool()):
    right = (x - 1) * 2
side = torch.cuda.Stream()
for _ in range(100):
    one.replay()  # cgsan: CG216
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        other.replay()
torch.cuda.synchronize()
# --- an event that was recorded before the replay
import torch


def capture(x, pool=None):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        y = torch.tanh(x.exp())
    return graph, y


x = torch.rand(4096, device="cuda")
one, left = capture(x)
other, right = capture(x, one.pool())
first, second = torch.cuda.Stream(), torch.cuda.Stream()
torch.cuda.synchronize()
with torch.cuda.stream(first):
    ready = torch.cuda.Event()
    ready.record()
    one.replay()
with torch.cuda.stream(second):
    ready.wait()
    other.replay()  # cgsan: CG216
torch.cuda.synchronize()
# --- the host waits, but for another stream
import torch

x = torch.rand(4096, device="cuda")
stream = torch.cuda.Stream()
one, other = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
torch.cuda.synchronize()
with torch.cuda.stream(stream):
    one.capture_begin()
    left = (x + 1) * 2
    one.capture_end()
    other.capture_begin(pool=one.pool())
    right = (x - 1) * 2
    other.capture_end()
first, second, third = torch.cuda.Stream(), torch.cuda.Stream(), torch.cuda.Stream()
with torch.cuda.stream(first):
    one.replay()
third.synchronize()
with torch.cuda.stream(second):
    other.replay()  # cgsan: CG216
torch.cuda.synchronize()
# --- in methods, one graph for each half of a model
import torch


class Halves:
    def __init__(self, x):
        self.pool = torch.cuda.graph_pool_handle()
        self.x = x
        self.side = torch.cuda.Stream()
        self.encoder, self.code = self.capture(self.encode)
        self.decoder, self.text = self.capture(self.decode)

    def encode(self):
        hidden = self.x.exp()
        return hidden.sin() + hidden

    def decode(self):
        hidden = self.x.neg()
        return hidden.cos() + hidden

    def capture(self, step):
        graph = torch.cuda.CUDAGraph()
        with torch.no_grad(), torch.cuda.graph(graph, pool=self.pool):
            result = step()
        return graph, result

    def run(self):
        self.encoder.replay()
        with torch.cuda.stream(self.side):
            self.decoder.replay()  # cgsan: CG216
        torch.cuda.current_stream().wait_stream(self.side)
        return self.code + self.text


halves = Halves(torch.rand(4096, device="cuda"))
halves.run()
# --- in dictionaries, by names
import torch

x = torch.rand(4096, device="cuda")
pool = torch.cuda.graph_pool_handle()
graphs, streams, outs = {}, {}, {}
for name in ("a", "b"):
    graphs[name] = torch.cuda.CUDAGraph()
    streams[name] = torch.cuda.Stream()
    with torch.cuda.graph(graphs[name], pool=pool):
        outs[name] = (x + 1) * 2
torch.cuda.synchronize()
for name in ("a", "b"):
    with torch.cuda.stream(streams[name]):
        graphs[name].replay()  # cgsan: CG216
torch.cuda.synchronize()
# --- of modules, where only the ends of a turn are ordered
import torch

a = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 64)).cuda()
b = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 64)).cuda()
x = torch.rand(64, 64, device="cuda")
side = torch.cuda.Stream()
one, other = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.inference_mode():
    a(x), b(x)
    with torch.cuda.graph(one):
        left = a(x)
    with torch.cuda.graph(other, pool=one.pool()):
        right = b(x)
torch.cuda.synchronize()
for _ in range(3):
    side.wait_stream(torch.cuda.current_stream())
    one.replay()
    with torch.cuda.stream(side):
        other.replay()  # cgsan: CG216
    torch.cuda.current_stream().wait_stream(side)
print(left, right)
# --- silent: the streams take turns
import torch

inputs = [torch.ones(4096, device="cuda") for _ in range(3)]
graphs = [torch.cuda.CUDAGraph() for _ in inputs]
streams = [torch.cuda.Stream() for _ in inputs]
outputs, pool = [], torch.cuda.graph_pool_handle()
for graph, x in zip(graphs, inputs):
    with torch.cuda.graph(graph, pool=pool):
        outputs.append((x + 1) * 2)
for _ in range(10):
    previous = streams[-1]
    for graph, stream in zip(graphs, streams):
        stream.wait_stream(previous)
        with torch.cuda.stream(stream):
            graph.replay()
        previous = stream
torch.cuda.synchronize()
# --- silent: by an event, which is recorded behind each replay
import torch

inputs = [torch.ones(4096, device="cuda") for _ in range(3)]
graphs = [torch.cuda.CUDAGraph() for _ in inputs]
streams = [torch.cuda.Stream() for _ in inputs]
outputs, pool = [], torch.cuda.graph_pool_handle()
for graph, x in zip(graphs, inputs):
    with torch.cuda.graph(graph, pool=pool):
        outputs.append((x + 1) * 2)
done = torch.cuda.Event()
done.record()
for _ in range(10):
    for graph, stream in zip(graphs, streams):
        stream.wait_event(done)
        with torch.cuda.stream(stream):
            graph.replay()
            done.record()
torch.cuda.synchronize()
# --- silent: the host reads the result of one before the other is replayed
import torch

x = torch.rand(4096, device="cuda")
one, other = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(one):
    left = ((x + 1) * 2).sum()
with torch.cuda.graph(other, pool=one.pool()):
    right = ((x - 1) * 2).sum()
first, second = torch.cuda.Stream(), torch.cuda.Stream()
torch.cuda.synchronize()
for _ in range(10):
    with torch.cuda.stream(first):
        one.replay()
        print(left.item())
    with torch.cuda.stream(second):
        other.replay()
        print(right.item())
# --- silent: the host waits for an event, and for a stream
import torch

x = torch.rand(4096, device="cuda")
one, other = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(one):
    left = (x + 1) * 2
with torch.cuda.graph(other, pool=one.pool()):
    right = (x - 1) * 2
first, second = torch.cuda.Stream(), torch.cuda.Stream()
torch.cuda.synchronize()
for _ in range(10):
    with torch.cuda.stream(first):
        one.replay()
        done = first.record_event()
    done.synchronize()
    with torch.cuda.stream(second):
        other.replay()
    second.synchronize()
# --- silent: captured on different streams, to which the allocator gives different memory
import torch

x = torch.rand(4096, device="cuda")
first, second = torch.cuda.Stream(), torch.cuda.Stream()
one, other = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(one, stream=first):
    left = (x + 1) * 2
with torch.cuda.graph(other, pool=one.pool(), stream=second):
    right = (x - 1) * 2
with torch.cuda.stream(first):
    one.replay()
with torch.cuda.stream(second):
    other.replay()
torch.cuda.synchronize()
# --- silent: the first graph keeps all that it made
import torch

x = torch.rand(4096, device="cuda")
one, other = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(one):
    hidden = x + 1
    left = hidden * 2
with torch.cuda.graph(other, pool=one.pool()):
    right = (x - 1) * 2
first, second = torch.cuda.Stream(), torch.cuda.Stream()
torch.cuda.synchronize()
with torch.cuda.stream(first):
    one.replay()
with torch.cuda.stream(second):
    other.replay()
torch.cuda.synchronize()
print(hidden, left, right)
# --- silent: the second graph writes where it is told, and makes nothing
import torch

x = torch.rand(4096, device="cuda")
out = torch.empty(4096, device="cuda")
one, other = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(one):
    left = (x + 1) * 2
with torch.cuda.graph(other, pool=one.pool()):
    torch.add(x, 1, out=out)
    out.mul_(2)
first, second = torch.cuda.Stream(), torch.cuda.Stream()
torch.cuda.synchronize()
with torch.cuda.stream(first):
    one.replay()
with torch.cuda.stream(second):
    other.replay()
torch.cuda.synchronize()
# --- silent: what the second graph needs is larger than what the first one freed
import torch

small = torch.ones(1024, device="cuda")
large = torch.ones(65536, device="cuda")
one, other = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(one):
    left = (small + 1) * 2
with torch.cuda.graph(other, pool=one.pool()):
    right = (large - 1) * 2
first, second = torch.cuda.Stream(), torch.cuda.Stream()
torch.cuda.synchronize()
with torch.cuda.stream(first):
    one.replay()
with torch.cuda.stream(second):
    other.replay()
torch.cuda.synchronize()
# --- silent: one or the other is replayed, each on its stream
import sys

import torch

x = torch.rand(4096, device="cuda")
one, other = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(one):
    left = (x + 1) * 2
with torch.cuda.graph(other, pool=one.pool()):
    right = (x - 1) * 2
first, second = torch.cuda.Stream(), torch.cuda.Stream()
torch.cuda.synchronize()
if len(sys.argv) > 1:
    with torch.cuda.stream(first):
        one.replay()
else:
    with torch.cuda.stream(second):
        other.replay()
torch.cuda.synchronize()
# --- silent: a helper that is not here may wait
import torch
from helpers import finish

x = torch.rand(4096, device="cuda")
one, other = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(one):
    left = (x + 1) * 2
with torch.cuda.graph(other, pool=one.pool()):
    right = (x - 1) * 2
first, second = torch.cuda.Stream(), torch.cuda.Stream()
torch.cuda.synchronize()
with torch.cuda.stream(first):
    one.replay()
finish()
with torch.cuda.stream(second):
    other.replay()
torch.cuda.synchronize()
# --- silent: the same graph on two streams, which the driver itself keeps apart
import torch

x = torch.rand(4096, device="cuda")
one, other = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(one):
    left = (x + 1) * 2
with torch.cuda.graph(other, pool=one.pool()):
    right = (x - 1) * 2
first, second = torch.cuda.Stream(), torch.cuda.Stream()
torch.cuda.synchronize()
with torch.cuda.stream(first):
    one.replay()
with torch.cuda.stream(second):
    one.replay()
torch.cuda.synchronize()
# --- silent: what decides about the pool decides about the streams
import sys

import torch

x = torch.rand(4096, device="cuda")
shared = len(sys.argv) > 1
pool = torch.cuda.graph_pool_handle() if shared else None
graphs = []
for i in (0, 1):
    g = torch.cuda.CUDAGraph()
    with torch.cuda.graph(g, pool=pool):
        y = (x + 1) * 2
    graphs.append((g, y, torch.cuda.Stream()))
torch.cuda.synchronize()
if not shared:
    for g, y, s in graphs:
        with torch.cuda.stream(s):
            g.replay()
else:
    for g, y, s in graphs:
        g.replay()
torch.cuda.synchronize()
# --- silent: what the first graph made is let go when the second one needs nothing any more
import torch

x = torch.rand(4096, device="cuda")
graphs, streams = [], [torch.cuda.Stream(), torch.cuda.Stream()]
pool = torch.cuda.graph_pool_handle()
for i in (0, 1):
    g = torch.cuda.CUDAGraph()
    with torch.cuda.graph(g, pool=pool):
        y = x + 1
    graphs.append(g)
torch.cuda.synchronize()
for g, s in zip(graphs, streams):
    with torch.cuda.stream(s):
        g.replay()
torch.cuda.synchronize()
# --- silent: the first graph freed memory of another stream
import torch

x = torch.rand(4096, device="cuda")
side = torch.cuda.Stream()
one, other = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(one):
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        left = (x + 1) * 2
    torch.cuda.current_stream().wait_stream(side)
with torch.cuda.graph(other, pool=one.pool()):
    right = (x - 1) * 2
torch.cuda.synchronize()
one.replay()
with torch.cuda.stream(side):
    other.replay()
torch.cuda.synchronize()
# --- silent: a view keeps what the first graph made
import torch


def step(x):
    hidden = x + 1
    return hidden * 2, hidden.view(64, 64)[0]


x = torch.rand(4096, device="cuda")
one, other = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(one):
    left = step(x)
with torch.cuda.graph(other, pool=one.pool()):
    right = step(x)
first, second = torch.cuda.Stream(), torch.cuda.Stream()
torch.cuda.synchronize()
with torch.cuda.stream(first):
    one.replay()
with torch.cuda.stream(second):
    other.replay()
torch.cuda.synchronize()
# --- silent: the streams wait for each other, turn by turn
import torch

x = torch.rand(4096, device="cuda")
one, other = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(one):
    left = (x + 1) * 2
with torch.cuda.graph(other, pool=one.pool()):
    right = (x - 1) * 2
first, second = torch.cuda.Stream(), torch.cuda.Stream()
torch.cuda.synchronize()

for step in range(10):
    if step % 2 == 0:
        with torch.cuda.stream(first):
            first.wait_stream(second)
            one.replay()
    else:
        with torch.cuda.stream(second):
            second.wait_stream(first)
            other.replay()
torch.cuda.synchronize()
# --- silent: a context of the program forks and joins the stream
import torch

x = torch.rand(4096, device="cuda")
one, other = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(one):
    left = (x + 1) * 2
with torch.cuda.graph(other, pool=one.pool()):
    right = (x - 1) * 2
first, second = torch.cuda.Stream(), torch.cuda.Stream()
torch.cuda.synchronize()

import contextlib


@contextlib.contextmanager
def on(stream):
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        yield
    torch.cuda.current_stream().wait_stream(stream)


for _ in range(3):
    with on(first):
        one.replay()
    with on(second):
        other.replay()
# --- silent: which stream an event is recorded on, is not known
import torch

x = torch.rand(4096, device="cuda")
one, other = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(one):
    left = (x + 1) * 2
with torch.cuda.graph(other, pool=one.pool()):
    right = (x - 1) * 2
first, second = torch.cuda.Stream(), torch.cuda.Stream()
torch.cuda.synchronize()

streams = {0: first, 1: second}
ready = torch.cuda.Event()
import os

n = int(os.environ.get("N", "0"))
with torch.cuda.stream(first):
    one.replay()
ready.record(streams[n])
second.wait_event(ready)
with torch.cuda.stream(second):
    other.replay()
# --- silent: a context of the program waits for the device
import torch

x = torch.rand(4096, device="cuda")
one, other = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(one):
    left = (x + 1) * 2
with torch.cuda.graph(other, pool=one.pool()):
    right = (x - 1) * 2
first, second = torch.cuda.Stream(), torch.cuda.Stream()
torch.cuda.synchronize()

import time


class Timer:
    def __enter__(self):
        torch.cuda.synchronize()
        self.t = time.time()

    def __exit__(self, *a):
        torch.cuda.synchronize()
        print(time.time() - self.t)


for _ in range(3):
    with Timer(), torch.cuda.stream(first):
        one.replay()
    with Timer(), torch.cuda.stream(second):
        other.replay()
# --- silent: threads, which a lock keeps apart
import torch

x = torch.rand(4096, device="cuda")
one, other = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
with torch.cuda.graph(one):
    left = (x + 1) * 2
with torch.cuda.graph(other, pool=one.pool()):
    right = (x - 1) * 2
first, second = torch.cuda.Stream(), torch.cuda.Stream()
torch.cuda.synchronize()

import threading

lock = threading.Lock()


def work(graph, stream):
    for _ in range(3):
        with lock, torch.cuda.stream(stream):
            graph.replay()
            stream.synchronize()


t = [
    threading.Thread(target=work, args=(one, first)),
    threading.Thread(target=work, args=(other, second)),
]
for a in t:
    a.start()
for a in t:
    a.join()
