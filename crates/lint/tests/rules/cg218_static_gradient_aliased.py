# --- fails
import torch

weight = torch.ones(8, device="cuda", requires_grad=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    (weight * weight).sum().backward()
gradients = []
for _ in range(3):
    graph.replay()
    gradients.append(weight.grad)  # cgsan: CG218
# --- fixed
import torch

weight = torch.ones(8, device="cuda", requires_grad=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    (weight * weight).sum().backward()
gradients = []
for _ in range(3):
    graph.replay()
    gradients.append(weight.grad.clone())
# --- lookalike
import torch

weight = torch.ones(8, device="cuda", requires_grad=True)
gradients = []
for _ in range(3):
    weight.grad = None
    (weight * weight).sum().backward()
    gradients.append(weight.grad)
