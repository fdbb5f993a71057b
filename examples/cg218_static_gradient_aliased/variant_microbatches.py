"""A trainer replays its captured backward for each micro-batch, and the optimizer sees the last gradient alone."""

import torch


class Trainer:
    def __init__(self):
        self.weight = torch.nn.Parameter(torch.zeros(4, device="cuda"))
        self.optimizer = torch.optim.SGD([self.weight], lr=1.0)
        self.static = torch.zeros(4, device="cuda")

    def backward(self):
        (self.static * self.weight).sum().backward()  # cgsan: label

    def capture(self):
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            self.backward()
        torch.cuda.current_stream().wait_stream(side)
        self.optimizer.zero_grad(set_to_none=True)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.backward()

    def train(self, batches):
        for batch in batches:
            self.static.copy_(batch)
            self.graph.replay()  # cgsan: CG218
        self.optimizer.step()
        return self.weight[0].item()

    def train_eagerly(self, batches):
        self.optimizer.zero_grad()
        for batch in batches:
            self.static.copy_(batch)
            self.backward()
        self.optimizer.step()
        return self.weight[0].item()


batches = [torch.full((4,), value, device="cuda") for value in (1.0, 2.0, 4.0)]
eager, trainer = Trainer(), Trainer()
trainer.capture()
print("replay", [trainer.train(batches)], "eager", [eager.train_eagerly(batches)])
