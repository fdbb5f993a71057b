"""An adapter is added to a layer's result in place while it is enabled; the graph adds it for ever."""

import torch


class Adapted(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.base = torch.nn.Linear(8, 8, bias=False)
        self.down = torch.nn.Linear(8, 2, bias=False)
        self.up = torch.nn.Linear(2, 8, bias=False)
        self.enabled = True

    def forward(self, x):
        hidden = self.base(x)
        if self.enabled:
            hidden += self.up(self.down(x))  # cgsan: CG201
        return hidden.softmax(-1)


@torch.no_grad()
def main():
    torch.manual_seed(0)
    layer = Adapted().cuda()
    x = torch.randn(2, 8, device="cuda")
    layer(x)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = layer(x)
    for layer.enabled in (True, False):
        for _ in range(2):
            x.normal_()
            graph.replay()
            print(layer.enabled, "differs from eager by", (y - layer(x)).abs().max().item())


main()
