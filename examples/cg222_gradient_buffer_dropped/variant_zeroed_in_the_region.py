"""The captured code fills the gradients of the warm-up with zeros and adds to them; each epoch drops them."""

import torch
from torch import nn


class Trainer:
    def __init__(self):
        self.model = nn.Linear(3, 1, bias=False).cuda()
        nn.init.zeros_(self.model.weight)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.x = torch.ones(4, 3, device="cuda")

    def backward(self):
        for parameter in self.model.parameters():
            if parameter.grad is not None:
                parameter.grad.zero_()
        (self.model(self.x) - 1).square().mean().backward()

    def capture(self):
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            self.backward()
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.backward()
        return graph.replay

    def fit(self, backward):
        for _ in range(2):
            self.model.zero_grad()  # cgsan: CG222
            for _ in range(3):
                backward()
                self.optimizer.step()
        return self.model.weight[0].tolist()


captured, eager = Trainer(), Trainer()
print("replay", captured.fit(captured.capture()), "eager", eager.fit(eager.backward))
