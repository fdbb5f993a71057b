"""Only graphs that were captured are kept, and a batch size without one runs eagerly."""

import torch


def step(batch):
    return batch.clone()


class Runner:
    def __init__(self):
        self.graphs = {}

    def capture(self, sizes):
        pool = torch.cuda.graph_pool_handle()
        for size in sizes:
            static, graph = torch.zeros(size, device="cuda"), torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, pool=pool):
                output = step(static)
            self.graphs[size] = graph, static, output

    def run(self, batch):
        if len(batch) not in self.graphs:
            return step(batch).tolist()
        graph, static, output = self.graphs[len(batch)]
        static.copy_(batch)
        graph.replay()
        return output.tolist()


runner = Runner()
runner.capture((2, 1))
for values in ([1.0, 2.0], [3.0], [4.0, 5.0, 6.0]):
    assert runner.run(torch.tensor(values, device="cuda")) == values
