"""With every tensor on the device the compiled step is captured; with one on the CPU the graph is skipped."""

import torch
from torch._dynamo.utils import counters


def step(x, scale):
    return x * 2 + scale


x = torch.ones(8, device="cuda")
skipped = []
for device in ("cpu", "cuda"):
    torch._dynamo.reset()
    counters.clear()
    compiled = torch.compile(step, backend="cudagraphs")
    for _ in range(3):
        compiled(x, torch.ones((), device=device))
    skipped.append(counters["inductor"]["cudagraph_skips"])
assert skipped == [1, 0], skipped
