# --- a list of blocks is graphed, of which one is checkpointed
import torch
from torch.utils.checkpoint import checkpoint


class Plain(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.LayerNorm(8)

    def forward(self, x):
        return self.layer(x)


class Saving(Plain):
    def forward(self, x):
        return checkpoint(super().forward, x, use_reentrant=True, preserve_rng_state=False)


blocks = (Plain().cuda(), Saving().cuda())
samples = tuple((torch.ones(4, 8, device="cuda", requires_grad=True),) for _ in blocks)
blocks = torch.cuda.make_graphed_callables(blocks, samples)  # cgsan: CG118
# --- a function, with the flag in a constant
import torch
from torch import cuda
from torch.utils import checkpoint

REENTRANT = True
layer = torch.nn.LayerNorm(8).cuda()


def forward(x):
    return checkpoint.checkpoint(layer, x, use_reentrant=REENTRANT, preserve_rng_state=False)


x = torch.ones(4, 8, device="cuda", requires_grad=True)
graphed = cuda.make_graphed_callables(callables=forward, sample_args=(x,))  # cgsan: CG118
# --- the flag is an attribute that the constructor sets
import torch
import torch.utils.checkpoint


class Net(torch.nn.Module):
    def __init__(self, *, reentrant):
        super().__init__()
        self.reentrant = reentrant
        self.layer = torch.nn.LayerNorm(8)

    def inner(self, x):
        return torch.relu(self.layer(x))

    def forward(self, x):
        return torch.utils.checkpoint.checkpoint(
            self.inner, x, use_reentrant=self.reentrant, preserve_rng_state=False
        )


net = Net(reentrant=True).cuda()
x = torch.ones(4, 8, device="cuda", requires_grad=True)
net = torch.cuda.make_graphed_callables(net, (x,))  # cgsan: CG118
# --- silent: not reentrant
import torch
from torch.utils.checkpoint import checkpoint

layer = torch.nn.LayerNorm(8).cuda()
x = torch.ones(4, 8, device="cuda", requires_grad=True)
graphed = torch.cuda.make_graphed_callables(
    lambda value: checkpoint(layer, value, use_reentrant=False, preserve_rng_state=False), (x,)
)
# --- silent: reentrant, in a plain capture of forward and backward
import torch
from torch.utils.checkpoint import checkpoint

layer = torch.nn.LayerNorm(8).cuda()
x = torch.ones(4, 8, device="cuda", requires_grad=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    checkpoint(layer, x, use_reentrant=True, preserve_rng_state=False).sum().backward()
# --- a sequence is checkpointed in segments
import torch
from torch.utils.checkpoint import checkpoint_sequential


class Deep(torch.nn.Module):
    def __init__(self, reentrant):
        super().__init__()
        self.layers = torch.nn.Sequential(*[torch.nn.Linear(8, 8) for _ in range(4)])
        self.reentrant = reentrant

    def forward(self, x):
        return checkpoint_sequential(self.layers, 2, x, use_reentrant=self.reentrant)


x = torch.randn(2, 8, device="cuda", requires_grad=True)
fine = torch.cuda.make_graphed_callables(Deep(False).cuda(), (x,))
deep = torch.cuda.make_graphed_callables(Deep(True).cuda(), (x,))  # cgsan: CG118
# --- only in training mode, which the module is put into or out of
import torch
from torch.utils.checkpoint import checkpoint


class Model(torch.nn.Module):
    def __init__(self, checkpointing):
        super().__init__()
        self.first = torch.nn.Linear(8, 8)
        self.checkpointing = checkpointing

    def forward(self, x):
        if self.checkpointing and self.training:
            return checkpoint(self.first, x, use_reentrant=True)
        return self.first(x)


x = torch.randn(2, 8, device="cuda", requires_grad=True)
frozen = torch.cuda.make_graphed_callables(Model(True).cuda().eval(), (x,))
plain = torch.cuda.make_graphed_callables(Model(False).cuda().train(), (x,))
trained = torch.cuda.make_graphed_callables(Model(True).cuda().train(), (x,))  # cgsan: CG118
