"""The first call makes the sum that all calls add to; it is captured, so each replay begins with a new one."""

import torch


class Counter:
    def __init__(self):
        self.sums = None

    def add(self, x):
        if self.sums is None:
            self.sums = torch.zeros_like(x)  # cgsan: CG217
        self.sums += x
        return self.sums * 1.0


counter = Counter()
x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    sums = counter.add(x)
for _ in range(3):
    graph.replay()
print(sums[0].item(), "want 3.0")
