"""The graphed callable uses checkpointing that is not reentrant."""

import torch
from torch.utils.checkpoint import checkpoint


def block(x):
    return x.cos().sin()


def model(x):
    return checkpoint(block, x, use_reentrant=False, preserve_rng_state=False)


x = torch.ones(1024, device="cuda", requires_grad=True)
graphed = torch.cuda.make_graphed_callables(model, (x,))
graphed(x).sum().backward()
