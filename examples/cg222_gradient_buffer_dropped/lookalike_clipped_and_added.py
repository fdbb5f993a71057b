"""The captured pass adds to gradients that lie outside of it, and clips them; they are zeroed where they are."""

import torch


class Training:
    def __init__(self):
        self.layer = torch.nn.Linear(4, 1, bias=False, device="cuda")
        torch.nn.init.zeros_(self.layer.weight)
        self.optimizer = torch.optim.SGD(self.layer.parameters(), lr=0.5)
        self.batch = torch.ones(2, 4, device="cuda")
        self.layer.weight.grad = torch.zeros_like(self.layer.weight)

    def gradients(self):
        self.layer(self.batch).sum().backward()
        torch.nn.utils.clip_grad_norm_(self.layer.parameters(), 1.0)

    def run(self, gradients):
        weights = []
        for _ in range(4):
            gradients()
            self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=False)
            weights.append(round(self.layer.weight[0, 0].item(), 4))
        return weights


training = Training()
expected = training.run(training.gradients)
training = Training()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    training.gradients()
print("replay", training.run(graph.replay), "eager", expected)
