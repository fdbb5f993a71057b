"""FullyShardedDataParallel of PyTorch trains a small language model on two ranks."""

import ranks
import torch
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel
from torch.distributed.fsdp.wrap import ModuleWrapPolicy

device = ranks.begin()
model = FullyShardedDataParallel(
    ranks.Model().to(device),
    auto_wrap_policy=ModuleWrapPolicy({ranks.Block}),
    device_id=device,
)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
ranks.train(model, optimizer, device, is_split=True)
dist.destroy_process_group()
