# --- a registry of the class
import torch
import torch.distributed as dist


class Runner:
    shared = None

    @classmethod
    def get(cls):
        if cls.shared is None:
            cls.shared = torch.cuda.CUDAGraph()
        return cls.shared


dist.init_process_group("nccl")
x = torch.ones(8, device="cuda")
dist.all_reduce(x)
graph = Runner.get()
with torch.cuda.graph(graph):
    dist.all_reduce(x)  # cgsan: CG402
graph.replay()
# --- a dictionary of the class
import torch
import torch.distributed as dist


class Runner:
    graphs = {}


def capture(x):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        dist.all_reduce(x)  # cgsan: CG402
    Runner.graphs["step"] = graph


dist.init_process_group("nccl")
x = torch.ones(8, device="cuda")
dist.all_reduce(x)
capture(x)
Runner.graphs["step"].replay()
# --- a singleton
import torch
from torch import distributed as dist


class Engine:
    instance = None

    def __init__(self):
        Engine.instance = self
        self.x = torch.ones(8, device="cuda")
        dist.all_reduce(self.x)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            dist.all_reduce(self.x)  # cgsan: CG402


dist.init_process_group("nccl")
Engine().graph.replay()
# --- a function sets the attribute
import torch
import torch.distributed as dist


class State:
    graph = None


def capture(x):
    State.graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(State.graph):
        dist.all_reduce(x)  # cgsan: CG402


dist.init_process_group("nccl")
x = torch.ones(8, device="cuda")
dist.all_reduce(x)
capture(x)
State.graph.replay()
# --- a class of PyTorch's modules, by keyword and in a helper of it
import torch
from torch import distributed


class Reduced(torch.nn.Module):
    step = torch.cuda.CUDAGraph()

    def reduce(self, x):
        distributed.all_reduce(x, op=distributed.ReduceOp.SUM)  # cgsan: CG402
        return x

    def forward(self, x):
        with torch.cuda.graph(cuda_graph=self.step):
            y = self.reduce(x) * 2
        return y


distributed.init_process_group("nccl")
module = Reduced().cuda()
x = torch.ones(8, device="cuda")
module.reduce(x)
module(x)
Reduced.step.replay()
# --- by hand, with the graph of a base class
import torch
import torch.distributed as dist


class Base:
    graph = torch.cuda.CUDAGraph()


class Gathered(Base):
    def __init__(self, world):
        self.x = torch.ones(8, device="cuda")
        self.parts = torch.empty(8 * world, device="cuda")
        dist.all_gather_into_tensor(self.parts, self.x)
        with torch.cuda.stream(torch.cuda.Stream()):
            self.graph.capture_begin()
            dist.all_gather_into_tensor(self.parts, self.x)  # cgsan: CG402
            self.graph.capture_end()


dist.init_process_group("nccl")
Gathered(dist.get_world_size()).graph.replay()
# --- silent: reset at exit
import atexit

import torch
import torch.distributed as dist


class Runner:
    graph = torch.cuda.CUDAGraph()


dist.init_process_group("nccl")
atexit.register(Runner.graph.reset)
x = torch.ones(8, device="cuda")
dist.all_reduce(x)
with torch.cuda.graph(Runner.graph):
    dist.all_reduce(x)
Runner.graph.replay()
# --- silent: the class lets it go
import torch
import torch.distributed as dist


class Runner:
    graph = torch.cuda.CUDAGraph()


dist.init_process_group("nccl")
x = torch.ones(8, device="cuda")
dist.all_reduce(x)
with torch.cuda.graph(Runner.graph):
    dist.all_reduce(x)
Runner.graph.replay()
torch.cuda.synchronize()
Runner.graph = None
dist.destroy_process_group()
# --- the group goes at exit, while a dictionary of the module holds the graph
import atexit

import torch
import torch.distributed as dist

GRAPHS = {}


@atexit.register
def clean_up():
    if dist.is_initialized():
        dist.destroy_process_group()  # cgsan: CG402


def capture(size):
    x = torch.ones(size, device="cuda")
    dist.all_reduce(x)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        dist.all_reduce(x)
    GRAPHS[size] = graph, x
    graph.replay()


dist.init_process_group("nccl")
capture(8)
# --- silent: the graphs go first
import atexit

import torch
import torch.distributed as dist

GRAPHS = {}


@atexit.register
def clean_up():
    for graph, _ in GRAPHS.values():
        graph.reset()
    if dist.is_initialized():
        dist.destroy_process_group()


def capture(size):
    x = torch.ones(size, device="cuda")
    dist.all_reduce(x)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        dist.all_reduce(x)
    GRAPHS[size] = graph, x
    graph.replay()


dist.init_process_group("nccl")
capture(8)
# --- at exit, registered before
import atexit

import torch
from torch import distributed

distributed.init_process_group("nccl")
atexit.register(distributed.destroy_process_group)  # cgsan: CG402
x = torch.ones(8, device="cuda")
distributed.broadcast(x, src=0)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    distributed.broadcast(x, src=0)
graph.replay()
