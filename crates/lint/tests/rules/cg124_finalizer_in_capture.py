# --- fails
import torch

x = torch.ones(8, device="cuda")
old = torch.cuda.CUDAGraph()
with torch.cuda.graph(old):
    y = x + 1
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    z = x + 2
    old.reset()  # cgsan: CG124
# --- fixed
import torch

x = torch.ones(8, device="cuda")
old = torch.cuda.CUDAGraph()
with torch.cuda.graph(old):
    y = x + 1
old.reset()
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    z = x + 2
# --- lookalike
import torch

x = torch.ones(8, device="cuda")
old = torch.cuda.CUDAGraph()
kept = [old]
with torch.cuda.graph(old):
    y = x + 1
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    z = x + 2
    del old
