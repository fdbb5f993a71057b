# --- fails
import torch
from torch.utils.checkpoint import checkpoint


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.mlp = torch.nn.Linear(8, 8)

    def forward(self, x):
        return checkpoint(self.mlp, x, use_reentrant=True, preserve_rng_state=False)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()

    def graph(self, sample):
        self.block = torch.cuda.make_graphed_callables(self.block, (sample,))  # cgsan: CG118


model = Model().cuda()
model.graph(torch.ones(4, 8, device="cuda", requires_grad=True))
# --- fixed
import torch
from torch.utils.checkpoint import checkpoint


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.mlp = torch.nn.Linear(8, 8)

    def forward(self, x):
        return checkpoint(self.mlp, x, use_reentrant=False, preserve_rng_state=False)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()

    def graph(self, sample):
        self.block = torch.cuda.make_graphed_callables(self.block, (sample,))


model = Model().cuda()
model.graph(torch.ones(4, 8, device="cuda", requires_grad=True))
# --- lookalike
import torch
from torch.utils.checkpoint import checkpoint

mlp = torch.nn.Linear(8, 8).cuda()
head = torch.nn.Linear(8, 1).cuda()
x = torch.ones(4, 8, device="cuda", requires_grad=True)
head = torch.cuda.make_graphed_callables(head, (x,))
y = checkpoint(mlp, x, use_reentrant=True, preserve_rng_state=False)
head(y).sum().backward()
