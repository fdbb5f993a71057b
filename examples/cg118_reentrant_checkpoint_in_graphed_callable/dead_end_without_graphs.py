"""The same `torch.autograd.grad` without any graph is refused in the same way."""

import torch
from torch.utils.checkpoint import checkpoint

x = torch.ones(1024, device="cuda", requires_grad=True)
y = checkpoint(torch.cos, x, use_reentrant=True, preserve_rng_state=False)
torch.autograd.grad(y.sum(), x)
