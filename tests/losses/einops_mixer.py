"""einops: its layers make a mixer of patches, which is trained."""

import torch
from einops import reduce
from einops.layers.torch import EinMix, Rearrange
from torch import nn
from ways import DEVICE, adamw, train

model = nn.Sequential(
    Rearrange("b c (h p) (w q) -> b (h w) (p q c)", p=4, q=4),
    EinMix("b t c -> b t d", weight_shape="c d", bias_shape="d", c=48, d=16),
    nn.GELU(),
    EinMix("b t c -> b u c", weight_shape="t u", bias_shape="u", t=16, u=16),
    nn.LayerNorm(16),
).to(DEVICE)
batches = [(torch.randn(4, 3, 16, 16), torch.randn(4, 16)) for _ in range(3)]
train(
    model,
    adamw(model.parameters()),
    batches,
    lambda model, x, wanted: (reduce(model(x), "b t c -> b c", "max") - wanted).square().mean(),
)
