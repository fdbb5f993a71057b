"""The optimizer is made after the capture, and its loop zeroes gradients as an eager one does."""

import torch


class Training:
    def __init__(self):
        self.layer = torch.nn.Linear(4, 1, bias=False, device="cuda")
        torch.nn.init.zeros_(self.layer.weight)
        self.batch = torch.ones(2, 4, device="cuda")

    def gradients(self):
        self.layer(self.batch).sum().backward()  # cgsan: label

    def capture(self):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.gradients()
        return graph

    def run(self, gradients):
        optimizer = torch.optim.SGD(self.layer.parameters(), lr=0.5)
        weights = []
        for _ in range(4):
            gradients()
            optimizer.step()
            optimizer.zero_grad()  # cgsan: CG222
            weights.append(self.layer.weight[0, 0].item())
        return weights


training = Training()
expected = training.run(training.gradients)
training = Training()
graph = training.capture()
print("replay", training.run(graph.replay), "eager", expected)
