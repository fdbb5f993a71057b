"""A step ends with a new step size, be it eager or replayed; the graph goes on with the one of its capture."""

import torch


class Stepper:
    def __init__(self):
        self.size = 1.0
        self.graph = None
        self.x = torch.ones(4, device="cuda")

    def move(self):
        self.x.add_(self.size)  # cgsan: CG205

    def capture(self):
        self.move()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.move()

    def step(self):
        if self.graph is not None:
            self.graph.replay()
        else:
            self.move()
        self.size = self.size * 2


stepper, eager = Stepper(), Stepper()
stepper.capture()
stepper.x.fill_(1.0)
for _ in range(3):
    stepper.step()
    eager.step()
print("replay", stepper.x[0].item(), "eager", eager.x[0].item())
