"""flash-linear-attention: Triton's kernels of gated linear attention, beside its recurrence on the CPU."""

import torch
from torch.nn.functional import logsigmoid
from ways import DEVICE, brief, say

if DEVICE == "cuda":
    from fla.ops.gla import chunk_gla


def recurrent(queries, keys, values, gates):
    batch, count, heads, width = queries.shape
    state = torch.zeros(batch, heads, width, width)
    outputs = []
    for at in range(count):
        state = state * gates[:, at, ..., None].exp()
        state = state + keys[:, at, ..., None] * values[:, at, ..., None, :]
        outputs.append((queries[:, at, ..., None] * width**-0.5 * state).sum(-2))
    return torch.stack(outputs, 1), state


size = 1, 80, 1, 16
start = [*(torch.randn(size) for _ in range(3)), logsigmoid(torch.randn(size))]
given = [it.to(DEVICE).requires_grad_() for it in start]
out = (chunk_gla if DEVICE == "cuda" else recurrent)(*given)[0]
say(brief(out))
for gradient in torch.autograd.grad(out.square().sum(), given):
    say(brief(gradient, firsts=0))
