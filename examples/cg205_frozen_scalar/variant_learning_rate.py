"""A scheduler lowers the learning rate; the captured step of SGD goes on with the first one."""

import torch


class Training:
    def __init__(self):
        self.weight = torch.zeros(4, device="cuda", requires_grad=True)
        self.weight.grad = torch.ones_like(self.weight)
        self.optimizer = torch.optim.SGD([self.weight], lr=1.0)
        self.scheduler = torch.optim.lr_scheduler.ExponentialLR(self.optimizer, gamma=0.5)

    def step(self):
        self.optimizer.step()  # cgsan: CG205

    def run(self, step):
        results = []
        for _ in range(3):
            step()
            self.scheduler.step()
            results.append(self.weight[0].item())
        return results


eager = Training()
expected = eager.run(eager.step)
training = Training()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    training.step()
print("replay", training.run(graph.replay), "eager", expected)
