# --- fails
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
count = torch.zeros(1, pin_memory=True)
x = torch.ones(4, device="cuda")
total = torch.ones(1, device="cuda")


def step():
    dist.all_reduce(count)  # cgsan: CG226
    total.copy_(count, non_blocking=True)
    return x / total


graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step()
graph.replay()
# --- fixed
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
count = torch.zeros(1, pin_memory=True)
x = torch.ones(4, device="cuda")
total = torch.ones(1, device="cuda")


def exchange():
    dist.all_reduce(count)
    total.copy_(count)


def step():
    return x / total


exchange()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step()
exchange()
graph.replay()
# --- lookalike
import torch
import torch.distributed as dist

dist.init_process_group("cpu:gloo,cuda:nccl", device_id=torch.device("cuda:0"))
host = torch.zeros(1)
x = torch.ones(4, device="cuda")
dist.all_reduce(host)
dist.all_reduce(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    dist.all_reduce(x)
    y = x * 2
dist.all_reduce(host)
graph.replay()
graph.reset()
dist.destroy_process_group()
