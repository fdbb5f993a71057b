"""`fully_shard` of PyTorch (FSDP2) trains a small language model on two ranks, with products in bfloat16."""

import ranks
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from ways import adamw

device = ranks.begin()
mesh = init_device_mesh(device.type, (dist.get_world_size(),))
model = ranks.Model().to(device)
policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
for block in model.blocks:
    fully_shard(block, mesh=mesh, mp_policy=policy)
fully_shard(model, mesh=mesh, mp_policy=policy)
optimizer = adamw(model.parameters())
ranks.train(model, optimizer, is_split=True)
dist.destroy_process_group()
