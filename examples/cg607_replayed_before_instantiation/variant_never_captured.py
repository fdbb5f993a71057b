"""A graph object is made for each batch size, and the capture leaves the largest one out."""

import torch

LARGEST = 4


class Runner:
    def __init__(self, sizes):
        self.inputs = {size: torch.zeros(size, 8, device="cuda") for size in sizes}
        self.graphs = {size: torch.cuda.CUDAGraph() for size in sizes}
        self.outputs = {}

    def capture(self):
        pool = torch.cuda.graph_pool_handle()
        for size, graph in self.graphs.items():
            if size <= LARGEST:
                with torch.cuda.graph(graph, pool=pool):
                    self.outputs[size] = self.inputs[size] * 2

    def run(self, batch):
        size = len(batch)
        self.inputs[size].copy_(batch)
        self.graphs[size].replay()  # cgsan: CG607
        return self.outputs[size].clone()


runner = Runner((8, 4, 2))
runner.capture()
for size in (4, 2, 8):
    runner.run(torch.ones(size, 8, device="cuda"))
torch.cuda.synchronize()
