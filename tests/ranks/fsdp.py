"""Training with fully sharded parameters, which are gathered and scattered in every layer."""

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard

rank = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(rank)
dist.init_process_group("nccl", device_id=torch.device("cuda", rank))

layers = [nn.Sequential(nn.Linear(32, 32), nn.ReLU()) for _ in range(3)]
model = nn.Sequential(*layers, nn.Linear(32, 4)).cuda()
for layer in model:
    fully_shard(layer)
fully_shard(model)

optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for _ in range(4):
    inputs = torch.randn(8, 32).cuda()
    loss = nn.functional.cross_entropy(model(inputs), torch.zeros(8, dtype=torch.long).cuda())
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
torch.cuda.synchronize()

dist.destroy_process_group()
print("done")
