# --- fails
import torch

graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = torch.arange(8.0).pin_memory().to("cuda", non_blocking=True)  # cgsan: CG210
graph.replay()
# --- fixed
import torch

staging = torch.arange(8.0).pin_memory()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = staging.to("cuda", non_blocking=True)
graph.replay()
# --- lookalike
import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    staging = torch.arange(8.0).pin_memory()
    y = x + 1
graph.replay()
