"""The graphs copy their outputs into one buffer that was made before the captures; the caller keeps what each step returns."""

import torch

model = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Hardtanh(0.0, 6.0))


class Runner:
    """One graph for each size of a batch."""

    def __init__(self, sizes):
        self.inputs = torch.zeros(max(sizes), 4, device="cuda")
        self.outputs = torch.zeros(max(sizes), 4, device="cuda")
        self.graphs = {}
        for size in sizes:
            graph = self.graphs[size] = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                self.outputs[:size].copy_(model(self.inputs[:size]))

    def step(self, batch):
        size = len(batch)
        self.inputs[:size].copy_(batch)
        self.graphs[size].replay()  # cgsan: CG211
        return self.outputs[:size]


runner = Runner((2, 1))
batches = [torch.full((1 + (value < 4), 4), float(value), device="cuda") for value in range(6)]
results = []
for batch in batches:
    results.append(runner.step(batch))
eager = [model(batch)[0, 0].item() for batch in batches]
print("replay", [result[0, 0].item() for result in results], "eager", eager)
