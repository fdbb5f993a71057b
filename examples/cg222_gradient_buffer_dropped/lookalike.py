"""The program keeps the gradients that the graph writes, and gives them to the parameters after each replay."""

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
        kept = [parameter.grad for parameter in self.layer.parameters()]
        for _ in range(4):
            gradients()
            for parameter, grad in zip(self.layer.parameters(), kept, strict=True):
                parameter.grad = parameter.grad if grad is None else grad
            self.optimizer.step()
            self.optimizer.zero_grad()
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
