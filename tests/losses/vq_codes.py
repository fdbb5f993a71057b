"""vector-quantize-pytorch: codes are looked up and learned, by nearness and by signs."""

import torch
from torch import nn
from vector_quantize_pytorch import FSQ, LFQ, ResidualVQ, VectorQuantize
from ways import DEVICE, adamw, say

x = torch.randn(4, 16, 8)
for quantizer in (
    VectorQuantize(8, codebook_size=16, decay=0.8, threshold_ema_dead_code=0),
    ResidualVQ(dim=8, codebook_size=16, num_quantizers=2, threshold_ema_dead_code=0),
    FSQ([4, 4, 3], dim=8),
    LFQ(codebook_size=16, dim=8),
):
    model = nn.ModuleList([nn.Linear(8, 8), quantizer]).to(DEVICE)
    optimizer = adamw(model.parameters())
    for _ in range(2):
        optimizer.zero_grad()
        quantized, codes, *losses = model[1](model[0](x.to(DEVICE)))
        loss = (quantized - x.to(DEVICE)).square().mean() + sum(it.sum() for it in losses)
        loss.backward()
        optimizer.step()
        say(loss)
    say(codes.flatten()[:12])
