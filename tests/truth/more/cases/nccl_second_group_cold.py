import torch
import torch.distributed as dist

dist.init_process_group("nccl", rank=0, world_size=1, store=dist.HashStore())
other = dist.new_group([0])
t = torch.ones(8, device="cuda")
dist.all_reduce(t)
torch.cuda.synchronize()
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    t.mul_(2)
    dist.broadcast(t, 0, group=other)
