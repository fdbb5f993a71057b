# --- fails
import torch

size = 256 << 20
scratch = torch.zeros(size, dtype=torch.uint8, device="cuda")
print(scratch.sum().item())
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    del scratch  # cgsan: CG308
    torch.cuda.empty_cache()
    table = torch.zeros(size, dtype=torch.uint8, device="cuda")
graph.replay()
print(table.sum().item())
# --- fixed
import torch

size = 256 << 20
scratch = torch.zeros(size, dtype=torch.uint8, device="cuda")
print(scratch.sum().item())
del scratch
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    table = torch.zeros(size, dtype=torch.uint8, device="cuda")
graph.replay()
print(table.sum().item())
# --- lookalike
import torch

size = 256 << 20
kept = []
scratch = torch.zeros(size, dtype=torch.uint8, device="cuda")
kept.append(scratch)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    del scratch
    table = torch.zeros(size, dtype=torch.uint8, device="cuda")
graph.replay()
print(table.sum().item(), kept[0].sum().item())
