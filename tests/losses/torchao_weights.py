"""torchao: layers with weights of eight bits, in whole numbers and as float8, and an optimizer whose state has eight bits."""

import copy

import torch
from torch import nn
from torchao.optim import AdamW8bit
from torchao.quantization import (
    Float8WeightOnlyConfig,
    Int8DynamicActivationInt8WeightConfig,
    Int8WeightOnlyConfig,
    quantize_,
)
from ways import DEVICE, brief, infer, say

batches = [(torch.randn(8, 64),) for _ in range(3)]
start = nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.Linear(128, 64))


def quantized(config):
    model = copy.deepcopy(start).to(DEVICE)
    quantize_(model, config)
    return model


for config in (Int8WeightOnlyConfig(), Float8WeightOnlyConfig()):
    infer(quantized(config), batches)
# On its way it makes a text of a tensor, which no capture allows.
model = quantized(Int8DynamicActivationInt8WeightConfig())
with torch.no_grad():
    for (x,) in batches:
        say(brief(model(x.to(DEVICE))))

# It compiles its steps: Triton's kernels of them are computed as well.
model = nn.Linear(64, 64).to(DEVICE)
optimizer = AdamW8bit(model.parameters(), lr=1e-2)
for (x,) in batches[:2]:
    optimizer.zero_grad()
    loss = (model(x.to(DEVICE)) - 1).square().mean()
    loss.backward()
    optimizer.step()
    say(loss)
