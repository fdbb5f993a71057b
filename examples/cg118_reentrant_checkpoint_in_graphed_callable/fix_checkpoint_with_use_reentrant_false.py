"""The graphed callable checkpoints with `use_reentrant=False`."""

import torch
from torch.utils.checkpoint import checkpoint


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU())

    def forward(self, x):
        return checkpoint(self.body, x, use_reentrant=False, preserve_rng_state=False)


model = Block().cuda()
x = torch.randn(16, 64, device="cuda", requires_grad=True)
graphed = torch.cuda.make_graphed_callables(model, (x,))
graphed(x).sum().backward()
assert x.grad is not None
