"""flash-linear-attention: layers of linear attention, by kernels of Triton."""

import torch
from fla.layers import GatedLinearAttention, MultiScaleRetention
from ways import DEVICE, brief, say

x = torch.randn(1, 32, 64)
for layer in (
    GatedLinearAttention(hidden_size=64, num_heads=2),
    MultiScaleRetention(hidden_size=64, num_heads=2),
):
    given = x.to(DEVICE).requires_grad_()
    out, *_ = layer.to(DEVICE)(given)
    out.square().sum().backward()
    say(brief(out))
    say(brief(given.grad))
