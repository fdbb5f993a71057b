"""A wrapper gives each layer a graph with an input of its own, and copies the output of the last layer into it."""

import torch


class Graphed:
    def __init__(self, layer, x, pool):
        self.layer, self.x = layer, x.clone()
        layer(self.x)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph, pool=pool):
            self.y = layer(self.x)

    def __call__(self, x):
        self.x.copy_(x)
        self.graph.replay()  # cgsan: CG503
        return self.y


torch.set_grad_enabled(False)
sample = torch.ones(16, 32, device="cuda")
pool = torch.cuda.graph_pool_handle()
layers = [Graphed(torch.nn.LayerNorm(32).cuda(), sample, pool) for _ in range(12)]
for step in range(6):
    x = torch.full((16, 32), float(step), device="cuda")
    for layer in layers:
        x = layer(x)
print(x.shape)
