# --- a generator made before the capture runs where it is gone through
import torch


def losses(values):
    for value in values:
        yield value.item()  # cgsan: CG101


values = [torch.ones(1, device="cuda"), torch.zeros(1, device="cuda")]
pending = losses(values)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    total = sum(pending)
# --- `next` runs a generator to its first value
import torch


def checks(x):
    torch.cuda.synchronize()  # cgsan: CG101
    yield x + 1


x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = next(checks(x))
# --- `yield from` another generator
import torch


def inner(x):
    yield x.cpu()  # cgsan: CG102


def outer(x):
    yield from inner(x)


x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    for part in outer(x):
        x.add_(1)
# --- `map` runs its function where its result is gone through
import torch

values = [torch.ones(1, device="cuda"), torch.zeros(1, device="cuda")]
numbers = map(lambda value: value.item(), values)  # cgsan: CG101
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    values[0].add_(1)
    list(numbers)
# --- `filter` asks its function for a truth value
import torch

values = [torch.ones(1, device="cuda"), torch.zeros(1, device="cuda")]


def is_positive(value):
    return value.sum().item() > 0  # cgsan: CG101


graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    for value in filter(is_positive, values):
        value.mul_(2)
# --- `sorted` calls its key
import torch

values = [torch.ones(1, device="cuda"), torch.zeros(1, device="cuda")]
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    ordered = sorted(values, key=lambda value: value.item())  # cgsan: CG101
# --- an object that is gone through
import torch


class Batches:
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        for _ in range(2):
            yield self.x.tolist()  # cgsan: CG102


batches = Batches(torch.ones(4, device="cuda"))
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    for batch in batches:
        batches.x.add_(1)
# --- a comprehension over a generator function
import torch


def parts(x):
    for at in range(2):
        if x[at] > 0:  # cgsan: CG101
            yield x[at]


x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    chosen = [part * 2 for part in parts(x)]
# --- silent: a generator made in the capture and gone through after it
import torch


def losses(values):
    for value in values:
        yield value.item()


x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
    pending = losses([y, x])
graph.replay()
print(list(pending))
# --- silent: a generator that is never gone through, and a `map` that is not
import torch


def losses(x):
    yield x.item()


x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
    losses(y)
    numbers = map(float, [y])
# --- silent: gone through before the capture, and empty in it
import torch


def losses(values):
    for value in values:
        yield value.item()


x = torch.ones(4, device="cuda")
pending = losses([x, x])
print(sum(pending))
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
    rest = list(pending)
# --- silent: a generator expression that is gone through after the capture
import torch

x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
    numbers = (value.item() for value in [y, x])
graph.replay()
print(list(numbers))
