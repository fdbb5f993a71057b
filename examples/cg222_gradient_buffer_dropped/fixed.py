"""The memory of the gradients is kept: they are filled with zeros."""

import torch


class Training:
    """A layer whose forward and backward pass are one call."""

    def __init__(self):
        self.layer = torch.nn.Linear(4, 1, bias=False, device="cuda")
        torch.nn.init.zeros_(self.layer.weight)
        self.optimizer = torch.optim.SGD(self.layer.parameters(), lr=0.5)
        self.batch = torch.ones(2, 4, device="cuda")

    def gradients(self):
        self.layer(self.batch).sum().backward()

    def run(self, gradients):
        weights = []
        for _ in range(4):
            gradients()
            self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=False)
            weights.append(self.layer.weight[0, 0].item())
        return weights

    def capture(self):
        self.optimizer.zero_grad()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.gradients()
        return graph


training = Training()
expected = training.run(training.gradients)
training = Training()
graph = training.capture()
print("replay", training.run(graph.replay), "eager", expected)
