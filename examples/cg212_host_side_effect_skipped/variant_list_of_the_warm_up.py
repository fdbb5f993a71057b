"""A trainer collects the losses of its steps; those of the warm-up and of the capture are there, none of a replay."""

import torch


class Trainer:
    def __init__(self):
        self.weight = torch.ones(4, device="cuda")
        self.losses = []

    @torch.no_grad()
    def step(self):
        loss = (self.weight * self.weight).sum()
        self.weight.mul_(0.5)
        self.losses.append(loss)  # cgsan: CG212

    def capture(self):
        for _ in range(3):
            self.step()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):  # cgsan: label
            self.step()


trainer, reference = Trainer(), Trainer()
trainer.capture()
for _ in range(4):
    reference.step()
for _ in range(5):
    trainer.graph.replay()
    reference.step()
print("replay", [len(trainer.losses)], "eager", [len(reference.losses)])
