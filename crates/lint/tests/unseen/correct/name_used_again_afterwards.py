import torch

x = torch.rand(1024, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x.exp()
for _ in range(5):
    x.mul_(0.9)
    graph.replay()
    print(y.mean().item())
torch.cuda.synchronize()
x = torch.linspace(0, 1, 1024)
print(torch.dot(x, y.cpu()).item())
