"""More or fewer warm-up iterations change nothing: the first backward is refused."""

import torch
from torch.utils.checkpoint import checkpoint


def model(x):
    return checkpoint(torch.cos, x, use_reentrant=True, preserve_rng_state=False)


x = torch.ones(1024, device="cuda", requires_grad=True)
torch.cuda.make_graphed_callables(model, (x,), num_warmup_iters=11)
