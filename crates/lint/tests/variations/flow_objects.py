# --- the text of a dataclass shows its tensors
import dataclasses

import torch


@dataclasses.dataclass
class Batch:
    ids: torch.Tensor
    step: int = 0


batch = Batch(torch.arange(3, device="cuda"))
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    batch.ids.add_(1)
    message = f"{batch}"  # cgsan: CG101
# --- `__post_init__`, and a field made by a factory
from dataclasses import dataclass, field

import torch


@dataclass
class Scores:
    values: torch.Tensor
    limits: list = field(default_factory=list)
    best: float = field(init=False, default=0.0)

    def __post_init__(self):
        self.best = self.values.max().item()  # cgsan: CG101


x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    scores = Scores(x * 2)
# --- an element of an object, and its length
import torch


class Ragged:
    def __init__(self, values, lengths):
        self.values, self.lengths = values, lengths

    def __len__(self):
        return int(self.lengths.sum())  # cgsan: CG101

    def __getitem__(self, at):
        return self.values[self.lengths[at].item()]  # cgsan: CG101


ragged = Ragged(torch.ones(8, device="cuda"), torch.ones(2, dtype=torch.long, device="cuda"))
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    first = ragged[0]
    if len(ragged) > 2:
        first = first * 2
# --- the truth of an object
import torch


class Finished:
    def __init__(self, flags):
        self.flags = flags

    def __bool__(self):
        return bool(self.flags.all())  # cgsan: CG101


finished = Finished(torch.zeros(4, device="cuda"))
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    if not finished:
        finished.flags.add_(1)
# --- operators of the program's own
import torch


class Meter:
    def __init__(self, value):
        self.value = value

    def __add__(self, other):
        return Meter(self.value + other.item())  # cgsan: CG101

    def __lt__(self, other):
        torch.cuda.synchronize()  # cgsan: CG101
        return self.value < other


meter = Meter(0.0)
x = torch.ones((), device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
    total = meter + y
    meter < 3
# --- `__getattr__`, and a setter
import torch


class Lazy:
    def __init__(self, x):
        self.x = x

    def __getattr__(self, name):
        return self.x.sum().item()  # cgsan: CG101

    @property
    def scale(self):
        return self.factor

    @scale.setter
    def scale(self, value):
        self.factor = float(value)  # cgsan: CG101


lazy = Lazy(torch.ones(4, device="cuda"))
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = lazy.x * 2
    total = lazy.total
    lazy.scale = y.max()
# --- text of a list of tensors
import torch

x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
    print({"outputs": [y, x]})  # cgsan: CG101
# --- a case that fits
import torch


def normalize(x, how):
    match how:
        case "none":
            return x
        case "max" | "largest":
            return x / x.max().item()  # cgsan: CG101
        case _:
            raise ValueError(how)


x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = normalize(x, "largest")
# --- what a raised error leads to
import torch


def check(x):
    try:
        if x.shape:
            pass
        raise RuntimeError("slow path")
    except RuntimeError:
        return x.tolist()  # cgsan: CG102


x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
    check(y)
# --- silent: the text of a dataclass shows shapes only, and a field is not on the GPU
import dataclasses

import torch


@dataclasses.dataclass
class Batch:
    ids: torch.Tensor
    step: int = 0

    def __repr__(self):
        return f"Batch({tuple(self.ids.shape)}, {self.step})"


@dataclasses.dataclass
class Sizes:
    rows: int
    counts: torch.Tensor


batch = Batch(torch.arange(3, device="cuda"))
sizes = Sizes(3, torch.zeros(3))
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    batch.ids.add_(1)
    message = f"{batch} {sizes}"
# --- silent: another case fits
import torch


def normalize(x, how):
    match how:
        case "max":
            return x / x.max().item()
        case "norm" if x.dim() > 3:
            return x / x.norm().item()
        case _:
            return x / x.amax()


x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = normalize(x, "scaled")
# --- silent: objects whose special methods look at the host only
import torch


class Pages:
    def __init__(self, values):
        self.values, self.used = values, 0

    def __len__(self):
        return self.used

    def __bool__(self):
        return self.used > 0

    def __getitem__(self, at):
        return self.values[at]

    def __contains__(self, at):
        return at < self.used

    def __getattr__(self, name):
        return 0


pages = Pages(torch.ones(8, 4, device="cuda"))
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = pages[0] * len(pages)
    if pages and 3 in pages:
        y = y * pages.rate
# --- silent: an error that is not raised
import torch


def check(x):
    try:
        y = x * 2
    except RuntimeError:
        print(x.sum().item())
        raise
    return y


x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = check(x)
# --- silent: the setter is used before the capture
import torch


class Model:
    @property
    def scale(self):
        return self.factor

    @scale.setter
    def scale(self, value):
        self.factor = value.item()


x = torch.ones(4, device="cuda")
model = Model()
model.scale = x.max()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * model.scale
# --- a module whose forward is replaced
import torch


def watched(module):
    eager = module.forward

    def run(x):
        y = eager(x)
        print(y.mean().item())  # cgsan: CG101
        return y

    module.forward = run
    return module


net = watched(torch.nn.LayerNorm(8).cuda())
x = torch.ones(4, 8, device="cuda")
net(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = net(x)
# --- silent: the forward that waits was replaced
import torch


class Net(torch.nn.Module):
    def forward(self, x):
        return x * int(x.max())


def fast(x):
    return x * 2


net = Net().cuda()
net.forward = fast
linear = torch.nn.Linear(8, 8).cuda()
linear.forward = fast
x = torch.ones(4, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = linear(net(x))
# --- a class decorator that adds a method
import torch


def with_report(cls):
    def report(self):
        print(self.x.mean())  # cgsan: CG101

    cls.report = report
    return cls


@with_report
class Model:
    def __init__(self, x):
        self.x = x


model = Model(torch.ones(4, device="cuda"))
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    y = model.x + 1
    model.report()
