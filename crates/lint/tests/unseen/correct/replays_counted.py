import torch


class Smoother:
    def __init__(self):
        self.calls = 0
        self.x = torch.rand(1000, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.x.sigmoid() * 0.5

    def step(self):
        self.calls += 1
        self.graph.replay()
        self.x.copy_(self.y)


smoother = Smoother()
while smoother.calls < 100:
    smoother.step()
print(smoother.calls, smoother.y.mean().item())
