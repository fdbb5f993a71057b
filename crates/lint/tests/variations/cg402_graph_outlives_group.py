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
