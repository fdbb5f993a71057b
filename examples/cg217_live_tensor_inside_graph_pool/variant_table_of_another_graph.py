"""A table is made at the first call, in the capture of one graph, and another graph reads it before the first has run."""

import torch


class Scaled:
    table = None

    def __call__(self, x):
        if self.table is None:
            self.table = torch.arange(8.0, device="cuda") + 1  # cgsan: label
        return x * self.table[: len(x)]  # cgsan: label


def captured(model, x):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = model(x)
    return graph, y


model = Scaled()
long, short = torch.ones(8, device="cuda"), torch.ones(4, device="cuda")
graph_of_long, _ = captured(model, long)
graph, y = captured(model, short)
graph.replay()  # cgsan: CG217
print("replay", [y.sum().item()], "eager", [Scaled()(short).sum().item()])
