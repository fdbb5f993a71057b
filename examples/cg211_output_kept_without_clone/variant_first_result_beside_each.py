"""Each result of a loop is divided by the first one, which is the same output."""

import torch


class Model:
    def __init__(self):
        self.x = torch.zeros(4, device="cuda")
        self.step()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.step()

    def step(self):
        return self.x.cumsum(0) + 1

    def __call__(self, value):
        self.x.fill_(value)
        self.graph.replay()  # cgsan: CG211
        return self.y


def main():
    model = Model()
    first = model(1.0)
    for value in (2.0, 3.0):
        ratio = model(value) / first
        eager = (torch.full_like(first, value).cumsum(0) + 1)[0] / 2
        print("replay", ratio[0].item(), "eager", eager.item())


main()
