"""Training with DistributedDataParallel, the whole step in a graph."""

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

rank = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(rank)
dist.init_process_group("nccl", device_id=torch.device("cuda", rank))

side = torch.cuda.Stream()
with torch.cuda.stream(side):
    model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4)).cuda()
    model = DistributedDataParallel(model, device_ids=[rank])
torch.cuda.current_stream().wait_stream(side)

optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
inputs = torch.randn(8, 16, device="cuda")
targets = torch.randn(8, 4, device="cuda")


def step():
    optimizer.zero_grad(set_to_none=True)
    loss = nn.functional.mse_loss(model(inputs), targets)
    loss.backward()
    optimizer.step()
    return loss


side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(11):
        step()
torch.cuda.current_stream().wait_stream(side)

graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, stream=side):
    loss = step()

for _ in range(5):
    inputs.copy_(torch.randn(8, 16))
    targets.copy_(torch.randn(8, 4))
    graph.replay()
torch.cuda.synchronize()

graph.reset()
dist.destroy_process_group()
print("done")
