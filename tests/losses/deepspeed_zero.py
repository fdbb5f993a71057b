"""DeepSpeed trains with ZeRO-1 on two ranks: each keeps half of the optimizer's state."""

import deepspeed
import ranks
import torch
import torch.distributed as dist
from torch import nn
from ways import say

device = ranks.begin()
model = ranks.Model()
engine, *_ = deepspeed.initialize(
    model=model,
    # Its own optimizers are built with a compiler of CUDA's when they are first used.
    optimizer=torch.optim.AdamW(model.parameters(), lr=1e-2),
    config={
        "train_micro_batch_size_per_gpu": 4,
        "gradient_clipping": 1.0,
        "zero_optimization": {"stage": 1},
        "zero_allow_untested_optimizer": True,
    },
)
for _ in range(6):
    tokens = torch.randint(0, 64, (8, 9))[4 * dist.get_rank() :][:4].to(device)
    logits = engine(tokens[:, :-1])
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
    engine.backward(loss)
    engine.step()
    if dist.get_rank() == 0:
        say(loss)
dist.destroy_process_group()
