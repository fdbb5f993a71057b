"""DTensor splits the layers of a small language model between two ranks."""

import ranks
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    RowwiseParallel,
    parallelize_module,
)

device = ranks.begin()
mesh = init_device_mesh(device.type, (dist.get_world_size(),))
model = ranks.Model().to(device)
for block in model.blocks:
    plan = {name: ColwiseParallel() for name in ("query", "key", "value", "up")}
    plan |= {name: RowwiseParallel() for name in ("output", "down")}
    parallelize_module(block, mesh, plan)
plan = {
    "embedding": RowwiseParallel(input_layouts=Replicate()),
    "head": ColwiseParallel(output_layouts=Replicate()),
}
parallelize_module(model, mesh, plan)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, foreach=False)
ranks.train(model, optimizer, is_split=False)
dist.destroy_process_group()
