# --- a server answers several requests before anyone reads
import torch


class Server:
    def __init__(self):
        self.x = torch.zeros(8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.x * 2

    def run(self, value):
        self.x.fill_(value)
        self.graph.replay()
        return self.y


server = Server()
answers = []
for value in range(4):
    answers.append(server.run(value))  # cgsan: CG211
# --- in a comprehension
import torch

x = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2


def run(value):
    x.fill_(value)
    graph.replay()
    return y


rows = [run(value) for value in range(4)]  # cgsan: CG211
# --- a view of it, under a key
import torch

logits = torch.zeros(4, 32, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    probabilities = logits.softmax(-1)
history = {}
for step in range(8):
    graph.replay()
    history[step] = probabilities[0]  # cgsan: CG211
# --- a graphed callable's output is its static buffer, too
import torch

model = torch.cuda.make_graphed_callables(
    torch.nn.Linear(8, 8).cuda(), (torch.ones(4, 8, device="cuda"),)
)
outputs = []
for step in range(4):
    with torch.no_grad():
        outputs.append(model(torch.randn(4, 8, device="cuda")))  # cgsan: CG211
# --- with `+=`, of a tuple
import torch

x = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    low, high = x - 1, x + 1
kept = []
for step in range(4):
    graph.replay()
    kept += [high]  # cgsan: CG211
# --- silent: copies are kept, or numbers
import torch

x = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
kept, numbers, sums, hosts = [], [], [], []
for step in range(4):
    graph.replay()
    kept.append(y.clone())
    numbers.append(y.sum().item())
    sums.append(y + 1)
    hosts.append(y.cpu())
# --- silent: a list of each turn
import torch

x = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
for step in range(4):
    graph.replay()
    now = []
    now.append(y)
    print(torch.stack(now).sum().item())
# --- silent: the outputs of several graphs, each replayed once
import torch

x = torch.zeros(8, device="cuda")
pool = torch.cuda.graph_pool_handle()
runs = []
for scale in range(4):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        y = x * 2
    runs.append((graph, y))
for graph, y in runs:
    graph.replay()
# --- a history of limited length
import collections

import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
history = collections.deque(maxlen=10)
last = collections.deque(maxlen=1)
for step in range(4):
    x.fill_(step)
    graph.replay()
    history.append(y)  # cgsan: CG211
    last.append(y)
# --- silent: what is looked up in an output is a copy
import torch

x = torch.ones(8, device="cuda")
scores = torch.rand(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
kept = []
for step in range(4):
    x.fill_(step)
    graph.replay()
    kept.append(y[scores.topk(4).indices])
    kept.append(y[[0, 1]])
    kept.append(y[y > 0])
# --- a part of an output is no copy
import torch

x = torch.ones(8, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
kept = []
for step in range(4):
    x.fill_(step)
    graph.replay()
    kept.append(y[..., :4])  # cgsan: CG211
# --- silent: what is transposed cannot be flattened without a copy
import torch

x = torch.ones(8, 4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
kept = []
for _ in range(3):
    graph.replay()
    kept.append(y.t().reshape(-1))
# --- two calls give the same memory, and both are used
import torch


class Siamese:
    def __init__(self):
        self.image = torch.zeros(16, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.code = torch.nn.functional.normalize(self.image.sin(), dim=0)

    def encode(self, image):
        self.image.copy_(image)
        self.graph.replay()
        return self.code

    def similarity(self, left, right):
        a, b = self.encode(left), self.encode(right)
        return (a * b).sum().item()  # cgsan: CG211


siamese = Siamese()
print(siamese.similarity(torch.rand(16, device="cuda"), torch.rand(16, device="cuda")))
# --- a graphed callable, called twice
import torch

encoder = torch.cuda.make_graphed_callables(
    torch.nn.Linear(8, 8).cuda(), (torch.ones(4, 8, device="cuda"),)
)
first = encoder(torch.randn(4, 8, device="cuda"))
second = encoder(torch.randn(4, 8, device="cuda"))
print(torch.nn.functional.mse_loss(first, second))  # cgsan: CG211
# --- the one before, under another name
import torch

x = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x.cos()
previous = None
for step in range(8):
    x.fill_(step)
    graph.replay()
    if previous is not None:
        print((y - previous).abs().max().item())
    previous = y  # cgsan: CG211
# --- as an attribute
import torch


class Flow:
    def __init__(self):
        self.frame = torch.zeros(8, 8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.features = self.frame.diff(dim=0)
        self.previous = None

    def __call__(self, frame):
        self.frame.copy_(frame)
        self.graph.replay()
        motion = None
        if self.previous is not None:
            motion = (self.features - self.previous).abs().mean().item()
        self.previous = self.features  # cgsan: CG211
        return motion


flow = Flow()
for _ in range(4):
    print(flow(torch.rand(8, 8, device="cuda")))
# --- all that a generator yields, or `map` gives
import torch

x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2


def frames():
    for value in range(3):
        x.fill_(value)
        graph.replay()
        yield y


def predict(batch):
    x.copy_(batch)
    graph.replay()
    return y


clip = list(frames())  # cgsan: CG211
batches = [torch.rand(4, device="cuda") for _ in range(5)]
predictions = torch.cat(list(map(predict, batches)))  # cgsan: CG211
# --- under names that a loop goes through
import torch


class Batcher:
    def __init__(self):
        self.x = torch.zeros(4, 8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.x.relu() + 1
        self.results = {}

    def run(self, request, x):
        self.x.copy_(x)
        self.graph.replay()
        self.results[request] = self.y[:, :4]  # cgsan: CG211


batcher = Batcher()
for request in ("a", "b", "c"):
    batcher.run(request, torch.randn(4, 8, device="cuda"))
# --- a sum that begins with the output itself
import torch

x = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = x.square().sum()
total = None
for step in range(4):
    x.fill_(step)
    graph.replay()
    total = loss if total is None else total + loss  # cgsan: CG211
print(total)
# --- silent: copies, numbers and results of results
import torch


class Siamese:
    def __init__(self):
        self.image = torch.zeros(16, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.code = torch.nn.functional.normalize(self.image.sin(), dim=0)
        self.previous = torch.zeros_like(self.code)

    def encode(self, image):
        self.image.copy_(image)
        self.graph.replay()
        return self.code

    def lengths(self, left, right):
        a, b = self.encode(left).norm(), self.encode(right).norm()
        first = self.encode(left).clone()
        second = self.encode(right)
        return (a / b).item(), (first * second).sum().item()

    def motion(self, image):
        code = self.encode(image)
        moved = (code - self.previous).abs().mean().item()
        self.previous.copy_(code)
        self.latest = code
        return moved


siamese = Siamese()
for _ in range(3):
    left, right = torch.rand(16, device="cuda"), torch.rand(16, device="cuda")
    print(siamese.lengths(left, right), siamese.motion(left))
# --- silent: a warm-up call, and the same name again and again
import torch

x = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y, z = x.cos(), x.sin()


def run(value):
    x.fill_(value)
    graph.replay()
    return y


out = run(0)
print(out.shape)
for value in range(4):
    out = run(value)
    residual = out - y * z
    print(out.sum().item(), (out * out).mean().item(), residual.sum().item())
static_out = y
for value in range(4):
    run(value)
    print((static_out / z).sum().item())
# --- silent: what a generator yields is used turn by turn
import torch

x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2


def frames():
    for value in range(3):
        x.fill_(value)
        graph.replay()
        yield y


clip = [frame.cpu() for frame in frames()]
total = sum(frames())
best = max(frame.sum().item() for frame in frames())
for index, frame in enumerate(frames()):
    print(index, (frame - y).sum().item())
host = list(map(lambda frame: frame.tolist(), frames()))
# --- silent: graphs of several sizes, of which each writes its own output
import torch

x = torch.zeros(32, 8, device="cuda")
pool = torch.cuda.graph_pool_handle()
cache = {}


def capture(rows):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):
        out = x[:rows].softmax(-1)
    return graph, out


def run(rows):
    if rows not in cache:
        cache[rows] = capture(rows)
    graph, out = cache[rows]
    graph.replay()
    return out


few, many = run(2), run(32)
print((few.sum() - many.sum()).item(), (few - many[:2]).abs().max())
prefill = {rows: capture(rows) for rows in (4, 8, 16)}
table = {4: capture(4), 8: capture(8)}


def replayed(entry):
    graph, out = entry
    graph.replay()
    return out


print((replayed(prefill[4]) - replayed(prefill[8])[:4]).sum())
print((replayed(table[4]) - replayed(table[8])[:4]).sum())
# --- silent: a replay that may not be made
import torch

x = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x.cos()


def run(value):
    x.fill_(value)
    graph.replay()
    return y


def compare(twice):
    first = second = run(1)
    if twice:
        second = run(1)
    return second, first - second


# --- given to a thread that writes it, some time later
import queue
import threading
from concurrent.futures import ThreadPoolExecutor

import torch

mailbox = queue.Queue()


def writer():
    while (item := mailbox.get()) is not None:
        print(item[0], item[1].mean().item())


frame = torch.zeros(32, 32, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    shown = frame.clamp(0, 1) ** 0.45

thread = threading.Thread(target=writer)
thread.start()
for index in range(5):
    frame.fill_(index / 5)
    graph.replay()
    mailbox.put((index, shown))  # cgsan: CG211
mailbox.put(None)
thread.join()
with ThreadPoolExecutor() as executor:
    for index in range(5):
        frame.fill_(index / 5)
        graph.replay()
        executor.submit(print, shown)  # cgsan: CG211
# --- in objects and dictionaries that a list keeps
import dataclasses

import torch


@dataclasses.dataclass
class Sample:
    step: int
    action: torch.Tensor


x = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
samples, rows = [], []
for step in range(4):
    x.fill_(step)
    graph.replay()
    samples.append(Sample(step, y))  # cgsan: CG211
    rows.append({"step": step, "action": y})  # cgsan: CG211
# --- silent: the thread is done with it before the next replay
import queue
import threading
from concurrent.futures import ThreadPoolExecutor

import torch

requests, answers, jobs, copies = (queue.Queue() for _ in range(4))
frame = torch.zeros(32, 32, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    shown = frame.clamp(0, 1) ** 0.45


def worker():
    while True:
        frame.copy_(requests.get())
        graph.replay()
        answers.put(shown)


def consume(done):
    for index in range(5):
        frame.fill_(index / 5)
        graph.replay()
        jobs.put(shown)
        jobs.join()
    for index in range(5):
        frame.fill_(index / 5)
        graph.replay()
        jobs.put(shown)
        done.wait()
    for index in range(5):
        frame.fill_(index / 5)
        graph.replay()
        copies.put((index, shown.clone()))


threading.Thread(target=worker, daemon=True).start()
consume(threading.Event())
with ThreadPoolExecutor() as executor:
    pending = None
    for index in range(5):
        if pending is not None:
            pending.result()
        frame.fill_(index / 5)
        graph.replay()
        pending = executor.submit(print, shown)
# --- silent: objects that hold numbers or copies, and runners with a graph each
import torch


class Sample:
    def __init__(self, step, action):
        self.step = step
        self.action = action.clone()


class Runner:
    def __init__(self, pool):
        self.x = torch.zeros(8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph, pool=pool):
            self.y = self.x * 2
        self.graph.replay()


x = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
samples, rows, runners = [], [], []
for step in range(4):
    x.fill_(step)
    graph.replay()
    samples.append(Sample(step, y))
    rows.append({"step": step, "action": y.tolist()})
    runners.append(Runner(graph.pool()))
# --- the input is a tensor, as its annotation says
import torch
from torch import Tensor


def run(x: Tensor, batches):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x * 2
    results = []
    for batch in batches:
        x.copy_(batch)
        graph.replay()
        results.append(y)  # cgsan: CG211
    return results


# --- silent: the annotation is another class of this name, whose operators may give anything
import torch
from shapes import Tensor


def run(x: Tensor, batches):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x * 2
    results = []
    for batch in batches:
        x.copy_(batch)
        graph.replay()
        results.append(y)
    return results


# --- silent: a list of what each graphed callable of a list gives
import sys

import torch

inputs = [torch.rand(64, device="cuda") for _ in sys.argv]
graphed = [torch.cuda.make_graphed_callables(torch.sin, (x,)) for x in inputs]
outputs = [function(x) for function, x in zip(graphed, inputs)]
print([output.sum().item() for output in outputs])
# --- a list of what one graphed callable of a list gives for all inputs
import torch

inputs = [torch.rand(64, device="cuda") for _ in range(10)]
graphed = [torch.cuda.make_graphed_callables(torch.sin, (inputs[0],))]
outputs = [graphed[0](x) for x in inputs]  # cgsan: CG211
print([output.sum().item() for output in outputs])
# --- a list that is emptied before each result
import torch

x = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
results = []
for step in range(4):
    x.fill_(step)
    graph.replay()
    results.clear()
    results.append(y)
    print(sum(result.sum().item() for result in results))
# --- all that is in a queue is taken out behind each replay
from collections import deque

import torch

x = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
results = deque()
for step in range(4):
    x.fill_(step)
    graph.replay()
    results.append(y)
    while results:
        print(results.popleft().sum().item())
# --- the result of the turn before is taken out of a queue
from collections import deque

import torch

x = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
results = deque()
for step in range(4):
    x.fill_(step)
    graph.replay()
    results.append(y)  # cgsan: CG211
    if len(results) > 1:
        print(results.popleft().sum().item())
# --- one place for the latest result
import torch

x = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
latest = [None]
for step in range(4):
    x.fill_(step)
    graph.replay()
    latest[0] = y
    print(latest[0].sum().item())
# --- a place for each result
import torch

x = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
results = [None] * 4
for step in range(4):
    x.fill_(step)
    graph.replay()
    results[step] = y  # cgsan: CG211
print(sum(result.sum().item() for result in results))
# --- a list whose contents are replaced
import torch

x = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
results = []
for step in range(4):
    x.fill_(step)
    graph.replay()
    results.append(y)
    print(sum(result.sum().item() for result in results))
    del results[:]
# --- an entry that is taken out of a dictionary in the same turn
import torch

x = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
waiting = {}
for step in range(4):
    x.fill_(step)
    graph.replay()
    waiting[step] = y
    print(waiting.pop(step).sum().item())
