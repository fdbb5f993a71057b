"""The memory of a table is given up while it is not needed, and taken again elsewhere; the graph reads where it was."""

import torch


class Table:
    def __init__(self):
        self.values = torch.arange(1024.0, device="cuda")
        self.saved = self.values.cpu()

    def give_up(self):
        self.values.untyped_storage().resize_(0)

    def take(self):
        self.values.untyped_storage().resize_(self.saved.nbytes)  # memory of another address
        self.values.copy_(self.saved)


table = Table()
x = torch.ones(1024, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = table.values * x

others = []
for _ in range(3):
    table.give_up()
    others.append(torch.full((1024,), -1.0, device="cuda"))
    table.take()
    graph.replay()  # cgsan: CG203
    print("replay", y[5].item(), "eager", (table.values * x)[5].item())
