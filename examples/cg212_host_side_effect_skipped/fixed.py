"""The samples are counted beside the replay."""

import torch


class Meter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = 0

    def forward(self, x):
        return x * 2


def run(meter, forward):
    forward()
    meter.seen += len(x)


x = torch.ones(4, device="cuda")
meter, reference = Meter(), Meter()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = meter(x)
for _ in range(3):
    run(meter, graph.replay)
    run(reference, lambda: reference(x))
print("replay", [meter.seen], "eager", [reference.seen])
