"""A graph for each branch, and the host picks; the first eager call of each branch also makes its momentum."""

import torch


class Trainer:
    def __init__(self):
        self.weights = [torch.ones(4, device="cuda"), torch.ones(4, device="cuda")]
        self.momenta = [None, None]
        self.graphs = {}

    def update(self, index, gradient):
        if self.momenta[index] is None:
            self.momenta[index] = torch.zeros_like(gradient)
        self.momenta[index].mul_(0.5).add_(gradient)
        self.weights[index].sub_(self.momenta[index])

    def step(self, x, both):
        self.update(0, x * self.weights[0])
        if both:
            self.update(1, x.cos() + self.weights[1])


x = torch.full((4,), 0.1, device="cuda")
trainer, reference = Trainer(), Trainer()
for number in range(4):
    trainer.step(x, number % 2 == 1)
for both in (False, True):
    trainer.graphs[both] = torch.cuda.CUDAGraph()
    with torch.cuda.graph(trainer.graphs[both]):
        trainer.step(x, both)
for number in range(4, 12):
    trainer.graphs[number % 2 == 1].replay()
replayed = [weight[0].item() for weight in trainer.weights]
for number in range(12):
    reference.step(x, number % 2 == 1)
print("replay", replayed, "eager", [weight[0].item() for weight in reference.weights])
