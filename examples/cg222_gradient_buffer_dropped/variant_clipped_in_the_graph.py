"""Gradients are clipped in the graph, and the loop drops them before the optimizer's next step."""

import torch


class Training:
    """A layer whose forward and backward pass are one call, which ends with clipped gradients."""

    def __init__(self):
        self.layer = torch.nn.Linear(4, 1, bias=False, device="cuda")
        torch.nn.init.zeros_(self.layer.weight)
        self.optimizer = torch.optim.SGD(self.layer.parameters(), lr=0.5)
        self.batch = torch.ones(2, 4, device="cuda")

    def gradients(self):
        self.layer(self.batch).sum().backward()  # cgsan: label
        torch.nn.utils.clip_grad_norm_(self.layer.parameters(), 1.0)

    def run(self, gradients):
        weights = []
        for _ in range(4):
            gradients()
            self.optimizer.step()
            self.optimizer.zero_grad()  # cgsan: CG222
            weights.append(round(self.layer.weight[0, 0].item(), 4))
        return weights

    def capture(self):
        self.optimizer.zero_grad()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):  # cgsan: label
            self.gradients()
        return graph


training = Training()
expected = training.run(training.gradients)
training = Training()
graph = training.capture()
print("replay", training.run(graph.replay), "eager", expected)
