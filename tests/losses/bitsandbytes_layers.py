"""bitsandbytes: layers with eight and with four bits, and an optimizer whose state has eight bits."""

import bitsandbytes as bnb
import torch
from torch import nn
from ways import DEVICE, infer, say

batches = [(torch.randn(8, 64),) for _ in range(2)]
start = nn.Linear(64, 32)
for layer in (
    bnb.nn.Linear8bitLt(64, 32, has_fp16_weights=False),
    bnb.nn.Linear4bit(64, 32, quant_type="nf4", compute_dtype=torch.float32),
):
    layer.load_state_dict(start.state_dict())
    # On a CPU, what is given to eight bits is not rounded to them.
    infer(layer.to(DEVICE), batches, firsts=0)

model = start.to(DEVICE)
kind = bnb.optim.AdamW8bit if DEVICE == "cuda" else torch.optim.AdamW
optimizer = kind(model.parameters(), lr=1e-2)
for (x,) in batches * 2:
    optimizer.zero_grad()
    loss = (model(x.to(DEVICE)) - 1).square().mean()
    loss.backward()
    optimizer.step()
    say(loss)
