"""New classes come: the head is replaced by a larger one after its graph was captured, and the graph goes on with the old one."""

import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.body = nn.Linear(4, 8)
        self.head = nn.Linear(8, classes)

    def forward(self, x):
        return self.head(torch.relu(self.body(x)))

    def grow(self, classes):
        larger = nn.Linear(8, classes, device="cuda")
        with torch.no_grad():
            larger.weight[: self.head.out_features].copy_(self.head.weight)
            larger.bias[: self.head.out_features].copy_(self.head.bias)
        self.head = larger  # cgsan: CG203


@torch.no_grad()
def main():
    torch.manual_seed(1)
    model = Classifier(3).cuda()
    x = torch.zeros(2, 4, device="cuda")
    model(x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = model(x)
    for number in range(4):
        if number == 2:
            model.grow(5)
        x.copy_(torch.randn(2, 4))
        graph.replay()
        print("replay", tuple(y.shape), "eager", tuple(model(x).shape))


main()
