# --- fails
import torch

x = torch.zeros(4, device="cuda")
result = torch.zeros((), pin_memory=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    result.copy_(x.sum(), non_blocking=True)
losses = []
for step in range(4):
    x.fill_(step)
    graph.replay()
    losses.append(result.item())  # cgsan: CG227
# --- fixed
import torch

x = torch.zeros(4, device="cuda")
result = torch.zeros((), pin_memory=True)
done = torch.cuda.Event()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    result.copy_(x.sum(), non_blocking=True)
losses = []
for step in range(4):
    x.fill_(step)
    graph.replay()
    done.record()
    done.synchronize()
    losses.append(result.item())
# --- lookalike
import torch

x = torch.zeros(4, device="cuda")
result = torch.zeros((), pin_memory=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    result.copy_(x.max(), non_blocking=True)
    total = x.sum()
results = []
for step in range(4):
    x.fill_(step)
    graph.replay()
    results.append((total.item(), result.item()))
