"""As `schedule.py`, but the learning rate is a Python number: the graph keeps the one of its capture."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.optim.lr_scheduler import LinearLR


def train(warmup, batches, captured):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 1)).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, capturable=True)
    schedule = LinearLR(optimizer, start_factor=0.1, total_iters=6)
    x = torch.empty_like(warmup[0][0], device="cuda")
    target = torch.empty_like(warmup[0][1], device="cuda")

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = F.mse_loss(model(x), target)
        loss.backward()
        optimizer.step()  # cgsan: CG205
        return loss.detach()

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for inputs, targets in warmup:
            x.copy_(inputs)
            target.copy_(targets)
            step()
            schedule.step()
    torch.cuda.current_stream().wait_stream(side)

    if captured:
        optimizer.zero_grad(set_to_none=True)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            loss = step()

    losses = []
    for inputs, targets in batches:
        x.copy_(inputs)
        target.copy_(targets)
        if captured:
            graph.replay()
        else:
            loss = step()
        schedule.step()
        losses.append(loss.item())
    return losses


def main():
    torch.manual_seed(1)
    batches = [(torch.randn(8, 16), torch.randn(8, 1)) for _ in range(8)]
    eager = train(batches[:3], batches[3:], captured=False)
    captured = train(batches[:3], batches[3:], captured=True)
    print("eager   ", eager)
    print("captured", captured)
    print("max difference", max(abs(a - b) for a, b in zip(eager, captured, strict=True)))


if __name__ == "__main__":
    main()
