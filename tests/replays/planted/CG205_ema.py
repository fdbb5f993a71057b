"""As `ema.py`, but the weight of the average is a Python number: the graph keeps the one of its capture."""

import copy

import torch
from torch import nn
from torch.nn import functional as F


def decay_at(step):
    return min(0.999, (1 + step) / (10 + step))


def train(warmup, batches, captured):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 1)).cuda()
    average = copy.deepcopy(model).requires_grad_(False)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2, capturable=True, foreach=True)
    parameters, averages = list(model.parameters()), list(average.parameters())
    x = torch.empty_like(warmup[0][0], device="cuda")
    target = torch.empty_like(warmup[0][1], device="cuda")

    def step(weight):
        optimizer.zero_grad(set_to_none=True)
        loss = F.mse_loss(model(x), target)
        loss.backward()
        norm = nn.utils.clip_grad_norm_(parameters, 0.5, foreach=True)
        optimizer.step()
        with torch.no_grad():
            for old, new in zip(averages, parameters, strict=True):
                old.lerp_(new, weight)  # cgsan: CG205
        return loss.detach(), norm.detach()

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for i, (inputs, targets) in enumerate(warmup):
            x.copy_(inputs)
            target.copy_(targets)
            step(1 - decay_at(i))
    torch.cuda.current_stream().wait_stream(side)

    if captured:
        optimizer.zero_grad(set_to_none=True)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            loss, norm = step(1 - decay_at(len(warmup)))

    results = []
    for i, (inputs, targets) in enumerate(batches, len(warmup)):
        x.copy_(inputs)
        target.copy_(targets)
        if captured:
            graph.replay()
        else:
            loss, norm = step(1 - decay_at(i))
        results += [loss.item(), norm.item()]
    with torch.no_grad():
        results.append(F.mse_loss(average(x), target).item())
    return results


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
