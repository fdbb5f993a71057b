# --- a method whose name is put together
import torch


class Pool:
    def __init__(self, mode):
        self.mode = mode
        self.by_sum = getattr(self, "pool_" + mode)
        self.by_percent = getattr(self, "pool_%s" % mode)
        self.by_format = getattr(self, "pool_{}".format(mode))  # noqa: UP032

    def pool_mean(self, x):
        return x.cpu()

    def pool_last(self, x):
        return x[: int(x.sum())]  # cgsan: CG101

    def by_string(self, x):
        return getattr(self, f"pool_{self.mode}")(x)


x = torch.ones(4, device="cuda")
pool = Pool("last")
for run in (pool.by_string, pool.by_sum, pool.by_percent, pool.by_format):
    with torch.cuda.graph(torch.cuda.CUDAGraph()):
        y = run(x)
# --- silent: of methods of which the name decides, the others are not called
import sys

import torch


class Pool:
    def __init__(self, mode, size):
        self.mode, self.size = mode, size

    def pool_mean_4(self, x):
        return x.mean()

    def pool_last_4(self, x):
        return x.cpu()

    def __call__(self, x):
        return getattr(self, f"pool_{self.mode}_{self.size}")(x)


x = torch.ones(4, device="cuda")
pool = Pool("mean", 4)
other = Pool(sys.argv[1], len(sys.argv))
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    y = pool(x) + other(x)
# --- silent: a device that may be any
import sys

import torch

x = torch.ones(4, device=f"{sys.argv[1]}:{sys.argv[2]}")
y = torch.ones(4).to("cuda:%d" % len(sys.argv) if len(sys.argv) > 2 else "cpu")
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    a, b = x.cpu(), y.cpu()
# --- silent: which function fits is not known
import functools
import pickle
import sys

import torch


@functools.singledispatch
def prepared(value):
    return value


@prepared.register
def _(value: torch.Tensor):
    torch.cuda.synchronize()
    return value


given = pickle.load(sys.stdin.buffer)
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    y = prepared(given)
# --- a method that is taken from the class
import torch

x = torch.ones(4, device="cuda")
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    a = torch.Tensor.tolist(x)  # cgsan: CG102
# --- a sequence that is taken apart
import torch

x = torch.ones(4, device="cuda")
batch = [x, 1, 2]
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    match batch:
        case [_, _]:
            torch.cuda.synchronize()
        case [first, *rest]:
            y = first.cpu()  # cgsan: CG102
        case _:
            y = x.tolist()
# --- members of an enumeration
import enum

import torch


class Mode(enum.Enum):
    WAITING = "waiting"
    FREE = "free"


def step(x, mode):
    if mode is Mode.WAITING:
        torch.cuda.synchronize()  # cgsan: CG101
    if mode is not Mode.FREE:
        return x.cpu()  # cgsan: CG102
    return x * 2


x = torch.ones(4, device="cuda")
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    y = step(x, Mode.WAITING)
# --- silent: another member of an enumeration
import enum

import torch


class Mode(enum.Enum):
    WAITING = "waiting"
    FREE = "free"


def step(x, mode):
    if mode is Mode.WAITING:
        torch.cuda.synchronize()
    return x * 2


x = torch.ones(4, device="cuda")
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    y = step(x, Mode.FREE)
