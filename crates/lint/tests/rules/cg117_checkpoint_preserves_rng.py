# --- fails
# torch: 2.9
import torch
from torch.utils.checkpoint import checkpoint


class Block(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.mlp = torch.nn.Sequential(torch.nn.LayerNorm(width), torch.nn.GELU())

    def forward(self, x):
        return x + checkpoint(self.mlp, x, use_reentrant=False)  # cgsan: CG117


block = Block(8).cuda()
x = torch.ones(4, 8, device="cuda", requires_grad=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    block(x).sum().backward()
# --- fixed
# torch: 2.9
import torch
from torch.utils.checkpoint import checkpoint


class Block(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.mlp = torch.nn.Sequential(torch.nn.LayerNorm(width), torch.nn.GELU())

    def forward(self, x):
        return x + checkpoint(self.mlp, x, use_reentrant=False, preserve_rng_state=False)


block = Block(8).cuda()
x = torch.ones(4, 8, device="cuda", requires_grad=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    block(x).sum().backward()
# --- lookalike
# torch: 2.9
import torch
from torch.utils.checkpoint import checkpoint

mlp = torch.nn.Sequential(torch.nn.LayerNorm(8), torch.nn.GELU()).cuda()
x = torch.ones(4, 8, device="cuda", requires_grad=True)
checkpoint(mlp, x, use_reentrant=False).sum().backward()
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    y = mlp(x)
