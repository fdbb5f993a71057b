"""As `resnet.py`, but the name of the static input is bound to each new batch."""

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


def build():
    torch.manual_seed(0)
    model = ResNet().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    return model, optimizer


def train_step(model, optimizer, x, target):
    optimizer.zero_grad(set_to_none=True)
    loss = F.cross_entropy(model(x), target)
    loss.backward()
    optimizer.step()
    return loss


def train_eager(warmup, batches):
    model, optimizer = build()
    for x, target in warmup:
        train_step(model, optimizer, x.cuda(), target.cuda())
    return [train_step(model, optimizer, x.cuda(), y.cuda()).item() for x, y in batches]


def train_captured(warmup, batches):
    model, optimizer = build()
    static_x = torch.empty_like(warmup[0][0], device="cuda")
    static_target = torch.empty_like(warmup[0][1], device="cuda")

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for x, target in warmup:
            static_x.copy_(x)
            static_target.copy_(target)
            train_step(model, optimizer, static_x, static_target)
    torch.cuda.current_stream().wait_stream(side)

    graph = torch.cuda.CUDAGraph()
    optimizer.zero_grad(set_to_none=True)
    with torch.cuda.graph(graph):
        static_loss = train_step(model, optimizer, static_x, static_target)

    losses = []
    for x, target in batches:
        static_x = x.cuda()  # cgsan: CG203
        static_target.copy_(target)
        graph.replay()
        losses.append(static_loss.item())
    return losses


def main():
    torch.manual_seed(1)
    data = [(torch.randn(4, 3, 16, 16), torch.randint(10, (4,))) for _ in range(8)]
    eager = train_eager(data[:3], data[3:])
    captured = train_captured(data[:3], data[3:])
    print("eager   ", eager)
    print("captured", captured)
    print("max difference", max(abs(a - b) for a, b in zip(eager, captured, strict=True)))


if __name__ == "__main__":
    main()
