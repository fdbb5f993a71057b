"""An optimizer of the program's own has its rate in a tensor; a schedule puts numbers in the place of that."""

import torch


class Signs(torch.optim.Optimizer):
    def __init__(self, parameters, rate):
        super().__init__(parameters, {"lr": rate, "decay": 0.5})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for parameter in group["params"]:
                parameter.mul_(1 - group["lr"] * group["decay"])  # cgsan: CG205
                parameter.sub_(parameter.grad.sign() * group["lr"])


def train(captured):
    weight = torch.nn.Parameter(torch.ones(4, device="cuda"))
    weight.grad = torch.ones_like(weight)
    optimizer = Signs([weight], torch.tensor(0.1, device="cuda"))
    step = optimizer.step
    if captured:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            optimizer.step()
        step = graph.replay
    for number in range(1, 5):
        optimizer.param_groups[0]["lr"] = 0.1 / number
        step()
    return weight.sum().item()


print("replay", train(captured=True), "eager", train(captured=False))
