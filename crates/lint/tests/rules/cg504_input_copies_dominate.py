# --- fails
import torch

a = torch.zeros(8, device="cuda")
b = torch.zeros(8, device="cuda")
c = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = a + b
    z = y + c
for step in range(3):
    a.copy_(torch.ones(8, device="cuda"))
    b.copy_(torch.ones(8, device="cuda"))
    c.copy_(torch.ones(8, device="cuda"))
    graph.replay()  # cgsan: CG504
# --- fixed
import torch

a = torch.zeros(8, device="cuda")
b = torch.zeros(8, device="cuda")
c = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = a + b
    z = y + c
for step in range(3):
    graph.replay()
# --- lookalike
import torch

a = torch.zeros(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = (a + 1).cos().sin()
for step in range(3):
    a.copy_(torch.ones(8, device="cuda"))
    graph.replay()
