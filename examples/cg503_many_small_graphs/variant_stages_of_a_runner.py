"""A runner captures each stage of its pipeline by itself, and runs all of them for each request."""

import torch


class Runner:
    def __init__(self, stages):
        self.input = torch.zeros(16, 32, device="cuda")
        self.graphs = []
        hidden = self.input
        for stage in range(stages):
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, pool=self.graphs[0].pool() if self.graphs else None):
                hidden = hidden.mul(0.5).add(stage)
            self.graphs.append(graph)
        self.output = hidden

    def run(self, request):
        self.input.copy_(request)
        for graph in self.graphs:
            graph.replay()  # cgsan: CG503
        return self.output.clone()


runner = Runner(10)
answers = [runner.run(torch.full((16, 32), float(i), device="cuda")) for i in range(6)]
print([answer[0, 0].item() for answer in answers])
