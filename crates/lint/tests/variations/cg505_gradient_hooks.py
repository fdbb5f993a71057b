# --- buckets are reduced by hooks of a graphed model
import torch
import torch.distributed as dist

model = torch.nn.Sequential(*(torch.nn.Linear(8, 8) for _ in range(4))).cuda()
model = torch.cuda.make_graphed_callables(model, (torch.ones(4, 8, device="cuda"),))


def reduce(gradient):
    dist.all_reduce(gradient, async_op=True)


for parameter in model.parameters():
    parameter.register_hook(reduce)  # cgsan: CG505
# --- in a reducer of its own, with names
import torch
import torch.distributed as dist
from torch.cuda import make_graphed_callables


class Reducer:
    def __init__(self, module):
        self.work = []
        for name, parameter in module.named_parameters():
            parameter.register_post_accumulate_grad_hook(self.reduce)  # cgsan: CG505

    def reduce(self, parameter):
        parameter.grad.mul_(0.5)
        self.work.append(dist.all_reduce(parameter.grad, async_op=True))


net = make_graphed_callables(torch.nn.Linear(8, 8).cuda(), (torch.ones(4, 8, device="cuda"),))
reducer = Reducer(net)
# --- handles are kept in a list
import torch
from torch.distributed import all_reduce


def reduce(gradient):
    all_reduce(gradient)
    return gradient


class Trainer:
    def __init__(self, model):
        x = torch.ones(4, 8, device="cuda")
        self.model = torch.cuda.make_graphed_callables(model.cuda(), (x,))
        self.handles = [it.register_hook(reduce) for it in self.model.parameters()]  # cgsan: CG505


Trainer(torch.nn.Linear(8, 8))
# --- silent: hooks that tell no other process have nothing to overlap
import torch

model = torch.nn.Linear(8, 8).cuda()
model = torch.cuda.make_graphed_callables(model, (torch.ones(4, 8, device="cuda"),))
for parameter in model.parameters():
    parameter.register_hook(lambda gradient: gradient.clamp(-1, 1))
    parameter.register_post_accumulate_grad_hook(print)
# --- silent: a model that is not graphed
import torch

model, other = torch.nn.Linear(8, 8).cuda(), torch.nn.Linear(8, 8).cuda()
graphed = torch.cuda.make_graphed_callables(other, (torch.ones(4, 8, device="cuda"),))
for parameter in model.parameters():
    parameter.register_hook(lambda gradient: gradient * 0.5)
# --- silent: the gradients are read after the backward
import torch

model = torch.nn.Linear(8, 8).cuda()
model = torch.cuda.make_graphed_callables(model, (torch.ones(4, 8, device="cuda"),))
model(torch.ones(4, 8, device="cuda")).sum().backward()
for parameter in model.parameters():
    parameter.grad.mul_(0.5)
# --- a whole model is one callable, and gradients are exchanged when they are there
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
dist.init_process_group("nccl", device_id=torch.device("cuda:0"))
model = torch.nn.Sequential(*[torch.nn.LayerNorm(32) for _ in range(6)]).cuda()
sample = torch.randn(8, 32, device="cuda")
graphed = torch.cuda.make_graphed_callables(model, (sample,))
ddp = DistributedDataParallel(graphed, device_ids=[0])  # cgsan: CG505
# --- silent: parts of a model are graphed, or a single layer
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("nccl", device_id=torch.device("cuda:0"))


class Net(torch.nn.Module):
    def __init__(self, sample):
        super().__init__()
        first = torch.nn.LayerNorm(32).cuda()
        self.first = torch.cuda.make_graphed_callables(first, (sample,))
        self.second = torch.nn.LayerNorm(32).cuda()

    def forward(self, x):
        return self.second(self.first(x))


sample = torch.randn(8, 32, device="cuda")
ddp = DistributedDataParallel(Net(sample), device_ids=[0])
layer = torch.cuda.make_graphed_callables(torch.nn.LayerNorm(32).cuda(), (sample,))
other = DistributedDataParallel(layer, device_ids=[0])
