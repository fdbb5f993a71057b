"""pytorch-optimizer: optimizers of many kinds take steps from the same weights."""

import pytorch_optimizer
import torch
from torch import nn
from ways import DEVICE, say

NAMES = [
    "Lion",
    "Muon",
    "SOAP",
    "Shampoo",
    "Adafactor",
    "CAME",
    "Prodigy",
    "ScheduleFreeAdamW",
    "LAMB",
]
start = nn.Sequential(nn.Linear(12, 16), nn.Tanh(), nn.Linear(16, 4))
x, wanted = torch.randn(32, 12), torch.randn(32, 4)
x, wanted = x.to(DEVICE), wanted.to(DEVICE)
for name in NAMES:
    model = nn.Sequential(nn.Linear(12, 16), nn.Tanh(), nn.Linear(16, 4))
    model.load_state_dict(start.state_dict())
    model.to(DEVICE)
    kind = pytorch_optimizer.load_optimizer(name)
    parameters = model.parameters()
    if name == "Muon":
        parameters = [{"params": [it], "use_muon": it.ndim == 2} for it in model.parameters()]
    optimizer = kind(parameters, lr=1e-2)
    getattr(optimizer, "train", lambda: None)()
    found = []
    for _ in range(4):
        optimizer.zero_grad()
        loss = (model(x) - wanted).square().mean()
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    say(found)
