# --- the default group, in a function that is captured
import torch
import torch.distributed as dist

dist.init_process_group(backend="nccl", rank=0, world_size=1)
x = torch.ones(8, device="cuda")


def step():
    dist.broadcast(x, src=0)  # cgsan: CG113


with torch.cuda.graph(torch.cuda.CUDAGraph()):
    step()
# --- another group was used, and this one was not
import torch
import torch.distributed as dist

dist.init_process_group("nccl")
first, second = dist.new_group([0]), dist.new_group([0])
x = torch.ones(8, device="cuda")
dist.all_reduce(x, group=first)
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    dist.all_reduce(x, group=second)  # cgsan: CG113
# --- gathered into one tensor
import torch
import torch.distributed as dist

dist.init_process_group("nccl")
x = torch.ones(8, device="cuda")
out = torch.empty(16, device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.stream(torch.cuda.Stream()):
    g.capture_begin()
    dist.all_gather_into_tensor(out, x)  # cgsan: CG113
    g.capture_end()
# --- silent: the group was told its device
import torch
import torch.distributed as dist

dist.init_process_group("nccl", device_id=torch.device("cuda", 0))
x = torch.ones(8, device="cuda")
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    dist.all_reduce(x)
# --- silent: a barrier came first
import torch
import torch.distributed as dist

dist.init_process_group("nccl")
dist.barrier()
x = torch.ones(8, device="cuda")
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    dist.all_reduce(x)
# --- the group is the third argument, and the default group is warm
import torch
import torch.distributed as dist

dist.init_process_group("nccl")
pair = dist.new_group([0, 1])
x = torch.ones(8, device="cuda")
dist.all_reduce(x)
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    dist.all_reduce(x, dist.ReduceOp.MAX, pair)  # cgsan: CG113
# --- the group is the third argument, and only that group is warm
import torch
import torch.distributed as dist

dist.init_process_group("nccl")
pair = dist.new_group([0, 1])
x = torch.ones(8, device="cuda")
dist.all_reduce(x, dist.ReduceOp.SUM, pair)
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    dist.all_reduce(x, dist.ReduceOp.MAX, pair)
# --- a group of Gloo for the host beside that of NCCL
import torch
import torch.distributed as dist

dist.init_process_group("nccl")
hosts = dist.new_group(backend="gloo")
ready = torch.ones(1)
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
    dist.all_reduce(ready, group=hosts)  # cgsan: CG226
    dist.barrier(hosts)
dist.destroy_process_group()
# --- the processes meet at a store of the host
import torch
import torch.distributed as dist

dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=1)
x = torch.ones(8, device="cuda") / dist.get_world_size()
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    dist.all_reduce(x)  # cgsan: CG113
# --- silent: wrapping a model made the communicator
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=1)
model = DistributedDataParallel(torch.nn.LayerNorm(8).cuda())
x = torch.ones(8, device="cuda")
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    dist.all_reduce(x)
