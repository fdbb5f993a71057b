# --- fails
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


def step(model, batch, target, criterion):
    loss = criterion(model(batch), target)
    loss.backward()  # cgsan: CG109
    return loss


dist.init_process_group("nccl")
model = DDP(torch.nn.LayerNorm(8).cuda())
batch, target = torch.ones(4, 8, device="cuda"), torch.ones(4, 8, device="cuda")
criterion = torch.nn.MSELoss()
side = torch.cuda.Stream()
with torch.cuda.stream(side):
    for _ in range(11):
        step(model, batch, target, criterion)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = step(model, batch, target, criterion)
# --- fixed
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


def step(model, batch, target, criterion):
    loss = criterion(model(batch), target)
    loss.backward()
    return loss


dist.init_process_group("nccl")
batch, target = torch.ones(4, 8, device="cuda"), torch.ones(4, 8, device="cuda")
criterion = torch.nn.MSELoss()
side = torch.cuda.Stream()
with torch.cuda.stream(side):
    model = DDP(torch.nn.LayerNorm(8).cuda())
    for _ in range(11):
        step(model, batch, target, criterion)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = step(model, batch, target, criterion)
# --- lookalike
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group("nccl")
model = DDP(torch.nn.LayerNorm(8).cuda())
static = torch.ones(4, 8, device="cuda")
model(static).sum().backward()
evaluation = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(evaluation):
    scores = model.module(static)
