import os

import torch
import torch.distributed as dist

dist.init_process_group("nccl")
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
gradient = torch.rand(1 << 20, device="cuda")
dist.all_reduce(gradient)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    dist.all_reduce(gradient)
    gradient.div_(dist.get_world_size())
for _ in range(10):
    graph.replay()
torch.cuda.synchronize()
dist.destroy_process_group()  # cgsan: CG401
del graph
