"""A table is made and zeroed inside the capture; each replay zeroes it again, after the program has filled it."""

import torch

x = torch.full((4,), 3.0, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    table = torch.zeros(4, device="cuda")  # cgsan: label
    y = x + table

table.fill_(5)
expected = [8.0, 5.0]
graph.replay()  # cgsan: CG217
print("replay", [y[0].item(), table[0].item()], "eager", expected)
