# --- built in the trainer's constructor, warmed up on a side stream
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

os.environ.setdefault("MASTER_ADDR", "localhost")
os.environ.setdefault("MASTER_PORT", "29617")


class Trainer:
    def __init__(self):
        self.model = DDP(torch.nn.LayerNorm(8).cuda())
        self.x = torch.ones(4, 8, device="cuda")

    def step(self):
        loss = self.model(self.x).sum()
        loss.backward()  # cgsan: CG109


dist.init_process_group("nccl", rank=0, world_size=1)
trainer = Trainer()
side = torch.cuda.Stream()
with torch.cuda.stream(side):
    for _ in range(11):
        trainer.step()
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    trainer.step()
# --- wrapped by a function, with keyword arguments, and called through `torch.nn.parallel`
import os

import torch
import torch.distributed as dist

os.environ.setdefault("MASTER_ADDR", "localhost")
os.environ.setdefault("MASTER_PORT", "29618")
dist.init_process_group("nccl", rank=0, world_size=1)


def wrap(model):
    return torch.nn.parallel.DistributedDataParallel(module=model, device_ids=[0])


model = wrap(torch.nn.LayerNorm(8).to("cuda"))
x = torch.ones(4, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = model(x).mean()
    loss.backward()  # cgsan: CG109
# --- the loss is computed by a criterion
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn import parallel

os.environ.setdefault("MASTER_ADDR", "localhost")
os.environ.setdefault("MASTER_PORT", "29618")
dist.init_process_group("nccl", rank=0, world_size=1)

net = parallel.DistributedDataParallel(nn.Sequential(nn.LayerNorm(8), nn.ReLU()).cuda())
criterion = nn.MSELoss()
x = torch.ones(4, 8, device="cuda")
target = torch.zeros(4, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
stream = torch.cuda.Stream()
with torch.cuda.stream(stream):
    graph.capture_begin()
    criterion(net(x), target).backward()  # cgsan: CG109
    graph.capture_end()
# --- silent: built under a side stream
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

os.environ.setdefault("MASTER_ADDR", "localhost")
os.environ.setdefault("MASTER_PORT", "29618")
dist.init_process_group("nccl", rank=0, world_size=1)

side = torch.cuda.Stream()
x = torch.ones(4, 8, device="cuda")
with torch.cuda.stream(side):
    model = DistributedDataParallel(torch.nn.LayerNorm(8).cuda())
    for _ in range(11):
        model(x).sum().backward()
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    model(x).sum().backward()
# --- silent: only the forward is captured
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

os.environ.setdefault("MASTER_ADDR", "localhost")
os.environ.setdefault("MASTER_PORT", "29618")
dist.init_process_group("nccl", rank=0, world_size=1)

model = DistributedDataParallel(torch.nn.LayerNorm(8).cuda())
x = torch.ones(4, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    y = model(x)
model(x).sum().backward()
# --- the model is wrapped where there is a process group
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def build():
    model = torch.nn.Linear(8, 1).cuda()
    if dist.is_initialized():
        model = DistributedDataParallel(model)
    return model


dist.init_process_group("nccl")
model = build()
x = torch.randn(4, 8, device="cuda")
side = torch.cuda.Stream()
with torch.cuda.stream(side):
    for _ in range(11):
        model(x).sum().backward()
torch.cuda.synchronize()
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    model(x).sum().backward()  # cgsan: CG109
