# --- fails
import torch
import torch.distributed as dist

dist.init_process_group("nccl")
pair = dist.new_group([0, 1])
x = torch.ones(8, device="cuda")
dist.all_reduce(x)
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    y = x * 2
    dist.all_reduce(y, group=pair)  # cgsan: CG113
# --- fixed
import torch
import torch.distributed as dist

dist.init_process_group("nccl")
pair = dist.new_group([0, 1])
x = torch.ones(8, device="cuda")
dist.all_reduce(x, group=pair)
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    y = x * 2
    dist.all_reduce(y, group=pair)
# --- lookalike
import torch
import torch.distributed as dist

import ranks

dist.init_process_group("nccl")
pair = dist.new_group([0, 1])
x = torch.ones(8, device="cuda")
ranks.greet(pair)
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    y = x * 2
    dist.all_reduce(y, group=pair)
