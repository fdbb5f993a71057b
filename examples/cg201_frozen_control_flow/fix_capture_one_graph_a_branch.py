"""Each branch has a graph of its own, and Python picks one before each replay."""

import torch

x = torch.full((4,), 3.0, device="cuda")


def step(even):
    return x + 1 if even else x - 1


graphs, outputs = {}, {}
for even in (True, False):
    graphs[even] = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graphs[even]):
        outputs[even] = step(even)

results = []
for number in range(4):
    even = number % 2 == 0
    graphs[even].replay()
    results.append(outputs[even].clone())
assert [result[0].item() for result in results] == [4, 2, 4, 2]
