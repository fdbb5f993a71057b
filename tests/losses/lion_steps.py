"""lion-pytorch: a whole training step with Lion."""

import torch
from lion_pytorch import Lion
from torch import nn
from ways import DEVICE, train

model = nn.Sequential(nn.Linear(12, 32), nn.GELU(), nn.LayerNorm(32), nn.Linear(32, 4)).to(DEVICE)
batches = [(torch.randn(16, 12), torch.randn(16, 4)) for _ in range(4)]
train(
    model,
    Lion(model.parameters(), lr=1e-2, weight_decay=0.1),
    batches,
    lambda model, x, wanted: (model(x) - wanted).square().mean(),
)
