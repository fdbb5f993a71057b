"""A small ResNet is made a graphed callable; the loss and the optimizer stay eager."""

import torch
from torch import nn
from torch.nn import functional as F


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = None
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(
                nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs)
            )

    def forward(self, x):
        identity = x if self.downsample is None else self.downsample(x)
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        return self.relu(out + identity)


class ResNet(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 8, 3, 1, 1, bias=False), nn.BatchNorm2d(8), nn.ReLU(inplace=True)
        )
        self.blocks = nn.Sequential(Block(8, 8, 1), Block(8, 16, 2), Block(16, 16, 1))
        self.head = nn.Linear(16, classes)

    def forward(self, x):
        x = self.blocks(self.stem(x))
        return self.head(F.adaptive_avg_pool2d(x, 1).flatten(1))


def train(batches, graphed):
    torch.manual_seed(0)
    model = ResNet().cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    if graphed:
        sample = torch.randn_like(batches[0][0], device="cuda")
        model = torch.cuda.make_graphed_callables(model, (sample,))

    losses = []
    for x, target in batches:
        optimizer.zero_grad(set_to_none=True)
        loss = F.cross_entropy(model(x.cuda()), target.cuda())
        loss.backward()
        optimizer.step()
        losses.append(loss.item())

    # In evaluation mode the module runs its own forward, not the graph.
    model.eval()
    with torch.no_grad():
        correct = sum((model(x.cuda()).argmax(1) == y.cuda()).sum().item() for x, y in batches)
    model.train()
    return losses, correct


def main():
    torch.manual_seed(1)
    batches = [(torch.randn(4, 3, 16, 16), torch.randint(10, (4,))) for _ in range(5)]
    eager, eager_correct = train(batches, graphed=False)
    graphed, graphed_correct = train(batches, graphed=True)
    print("eager  ", eager, eager_correct)
    print("graphed", graphed, graphed_correct)
    print("max difference", max(abs(a - b) for a, b in zip(eager, graphed, strict=True)))


if __name__ == "__main__":
    main()
