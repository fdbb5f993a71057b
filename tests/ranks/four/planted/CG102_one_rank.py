"""Of four ranks that capture a step of FSDP2, the last one copies from memory that is not pinned."""

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard

rank = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(rank)
dist.init_process_group("nccl", device_id=torch.device("cuda", rank))

model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4)).cuda()
fully_shard(model)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, capturable=True, foreach=True)
inputs = torch.randn(8, 16, device="cuda")
weights = torch.ones(4)


def step():
    optimizer.zero_grad(set_to_none=True)
    loss = model(inputs).square()
    if rank == 3:
        loss = loss * weights.cuda()  # cgsan: CG102
    loss.mean().backward()
    optimizer.step()


side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        step()
torch.cuda.current_stream().wait_stream(side)
torch.cuda.synchronize()

graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, stream=side):
    step()
graph.replay()
torch.cuda.synchronize()
graph.reset()
dist.destroy_process_group()
print("done")
