import torch


class Smoother(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1  # cgsan: CG212
        return x.sigmoid() * 0.5


smoother = Smoother()
x = torch.rand(1000, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = smoother(x)
while smoother.calls < 100:
    x.copy_(y)
    graph.replay()
print(smoother.calls)
