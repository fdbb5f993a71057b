"""As `validation.py`, but the step returns its static loss, and the epoch keeps one for each step."""

import torch
from torch import nn
from torch.nn import functional as F


def build():
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Linear(16, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.0), nn.Linear(32, 4)
    ).cuda()
    return model, torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True)


def train_step(model, optimizer, x, target):
    optimizer.zero_grad(set_to_none=True)
    loss = F.cross_entropy(model(x), target)
    loss.backward()
    optimizer.step()
    return loss.detach()


@torch.no_grad()
def validate(model, data):
    model.eval()
    loss = sum(F.cross_entropy(model(x.cuda()), target.cuda()).item() for x, target in data)
    model.train()
    return loss / len(data)


class CapturedStep:
    """The training step as a graph: called like the function that it was captured from."""

    def __init__(self, step, model, optimizer, warmup):
        self.x = torch.empty_like(warmup[0][0], device="cuda")
        self.target = torch.empty_like(warmup[0][1], device="cuda")
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for x, target in warmup:
                self.x.copy_(x)
                self.target.copy_(target)
                step(model, optimizer, self.x, self.target)
        torch.cuda.current_stream().wait_stream(side)
        optimizer.zero_grad(set_to_none=True)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.loss = step(model, optimizer, self.x, self.target)

    def __call__(self, x, target):
        self.x.copy_(x)
        self.target.copy_(target)
        self.graph.replay()  # cgsan: CG211
        return self.loss


def train(warmup, epochs, validation, captured):
    model, optimizer = build()
    validations = [validate(model, validation)]
    if captured:
        step = CapturedStep(train_step, model, optimizer, warmup)
    else:
        for x, target in warmup:
            train_step(model, optimizer, x.cuda(), target.cuda())

    epoch_losses = []
    for epoch in epochs:
        losses = []
        for x, target in epoch:
            if captured:
                losses.append(step(x, target))
            else:
                losses.append(train_step(model, optimizer, x.cuda(), target.cuda()))
        epoch_losses.append(torch.stack(losses).mean().item())
        validations.append(validate(model, validation))
    return epoch_losses + validations


def main():
    torch.manual_seed(1)
    data = [(torch.randn(8, 16), torch.randint(4, (8,))) for _ in range(12)]
    warmup, epochs, validation = data[:3], [data[3:6], data[6:9]], data[9:]
    eager = train(warmup, epochs, validation, captured=False)
    captured = train(warmup, epochs, validation, captured=True)
    print("eager   ", eager)
    print("captured", captured)
    print("max difference", max(abs(a - b) for a, b in zip(eager, captured, strict=True)))


if __name__ == "__main__":
    main()
