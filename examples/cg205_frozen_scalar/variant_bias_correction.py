"""The number of the step goes into a correction that Python computes; the graph holds that of its capture."""

import torch


def make_average(beta):
    mean = torch.zeros(4, device="cuda")

    def update(x, number):
        mean.mul_(beta).add_(x, alpha=1 - beta)
        return mean / (1 - beta**number)  # cgsan: CG205

    return update


x = torch.full((4,), 3.0, device="cuda")
update = make_average(0.5)
expected = [update(x, number)[0].item() for number in range(1, 5)]

update = make_average(0.5)
first = update(x, 1)[0].item()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    y = update(x, 2)
replayed = [first]
for _ in range(3):
    graph.replay()
    replayed.append(y[0].item())
print("replay", replayed, "eager", expected)
