"""FullyShardedDataParallel of PyTorch trains a small language model on two ranks."""

import ranks
import torch.distributed as dist
from torch.distributed.fsdp import FullyShardedDataParallel
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from ways import adamw

device = ranks.begin()
model = FullyShardedDataParallel(
    ranks.Model().to(device),
    auto_wrap_policy=ModuleWrapPolicy({ranks.Block}),
    device_id=device,
)
optimizer = adamw(model.parameters())
ranks.train(model, optimizer, is_split=True)
dist.destroy_process_group()
