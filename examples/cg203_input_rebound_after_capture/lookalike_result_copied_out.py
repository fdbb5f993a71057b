"""The result leads to a copy after each replay, and the tensor that the graph writes goes by another name."""

import torch


class Runner:
    def __init__(self):
        self.x = torch.zeros(4, device="cuda")
        self.result = torch.zeros(4, device="cuda")
        self.static = self.result

    def step(self):
        self.static.copy_(self.x * 2)

    def capture(self):
        self.step()
        torch.cuda.synchronize()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.step()

    def run(self, value):
        self.x.fill_(value)
        self.graph.replay()
        self.result = self.static.clone()
        return self.result


runner = Runner()
runner.capture()
results = [runner.run(value) for value in (1.0, 2.0, 3.0)]
print("replay", [it[0].item() for it in results], "eager", [2.0, 4.0, 6.0])
