"""schedulefree: AdamW and SGD without a schedule, in training and in evaluation."""

import schedulefree
import torch
from torch import nn
from ways import DEVICE, say

x, wanted = torch.randn(32, 12).to(DEVICE), torch.randn(32, 4).to(DEVICE)
for kind in (schedulefree.AdamWScheduleFree, schedulefree.SGDScheduleFree):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(12, 16), nn.Tanh(), nn.Linear(16, 4)).to(DEVICE)
    optimizer = kind(model.parameters(), lr=0.05, warmup_steps=2)
    for _ in range(3):
        optimizer.train()
        optimizer.zero_grad()
        loss = (model(x) - wanted).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.eval()
        with torch.no_grad():
            say(loss, (model(x) - wanted).square().mean())
