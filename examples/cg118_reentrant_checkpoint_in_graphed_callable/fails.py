"""A graphed callable uses reentrant checkpointing, which takes no list of inputs."""

import torch
from torch.utils.checkpoint import checkpoint


def block(x):
    return x.cos().sin()


def model(x):
    return checkpoint(block, x, use_reentrant=True, preserve_rng_state=False)


x = torch.ones(1024, device="cuda", requires_grad=True)
graphed = torch.cuda.make_graphed_callables(model, (x,))  # cgsan: CG118
graphed(x).sum().backward()
