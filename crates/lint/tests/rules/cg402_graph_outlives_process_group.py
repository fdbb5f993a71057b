# --- fails
import torch
import torch.distributed as dist


class Runner:
    graph = torch.cuda.CUDAGraph()


dist.init_process_group("nccl", device_id=torch.device("cuda", 0))
x = torch.ones(8, device="cuda")
with torch.cuda.graph(Runner.graph):
    dist.all_reduce(x)  # cgsan: CG402
Runner.graph.replay()
# --- fixed
import torch
import torch.distributed as dist


class Runner:
    graph = torch.cuda.CUDAGraph()


dist.init_process_group("nccl", device_id=torch.device("cuda", 0))
x = torch.ones(8, device="cuda")
with torch.cuda.graph(Runner.graph):
    dist.all_reduce(x)
Runner.graph.replay()
Runner.graph.reset()
# --- lookalike
import torch


class Runner:
    graph = torch.cuda.CUDAGraph()


x = torch.ones(8, device="cuda")
with torch.cuda.graph(Runner.graph):
    x.mul_(2)
Runner.graph.replay()
