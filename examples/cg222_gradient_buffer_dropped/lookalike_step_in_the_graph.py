"""The step is captured with the gradients, which it reads by their addresses: that `.grad` is None later does no harm."""

import torch


class Training:
    def __init__(self):
        self.layer = torch.nn.Linear(4, 1, bias=False, device="cuda")
        torch.nn.init.zeros_(self.layer.weight)
        self.optimizer = torch.optim.SGD(self.layer.parameters(), lr=0.5)
        self.batch = torch.ones(2, 4, device="cuda")

    def step(self):
        self.layer(self.batch).sum().backward()
        self.optimizer.step()

    def run(self, step):
        weights = []
        for _ in range(4):
            step()
            self.optimizer.zero_grad()
            weights.append(self.layer.weight[0, 0].item())
        return weights


eager = Training()
expected = eager.run(eager.step)
training = Training()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    training.step()
print("replay", training.run(graph.replay), "eager", expected)
