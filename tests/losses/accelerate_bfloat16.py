"""accelerate trains with bfloat16, clipped gradients and gradients that are added up."""

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from ways import DEVICE, say

accelerator = Accelerator(
    cpu=DEVICE == "cpu", mixed_precision="bf16", gradient_accumulation_steps=2
)
model = nn.Sequential(nn.Linear(16, 64), nn.GELU(), nn.LayerNorm(64), nn.Linear(64, 4))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
data = TensorDataset(torch.randn(64, 16), torch.randint(0, 4, (64,)))
model, optimizer, loader = accelerator.prepare(model, optimizer, DataLoader(data, batch_size=8))
for x, classes in loader:
    with accelerator.accumulate(model):
        loss = nn.functional.cross_entropy(model(x), classes)
        accelerator.backward(loss)
        accelerator.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    say(loss)
say(accelerator.gather(model(x).float()).norm())
