"""accelerate's eager training leaves a loss behind, whose graph keeps gradient accumulators of the default stream."""

import torch
from accelerate import Accelerator
from torch import nn


def main():
    accelerator = Accelerator(mixed_precision="bf16")
    model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, capturable=True)
    model, optimizer = accelerator.prepare(model, optimizer)
    inputs = torch.randn(8, 16, device=accelerator.device)
    labels = torch.randint(0, 4, (8,), device=accelerator.device)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.cross_entropy(model(inputs), labels)
        accelerator.backward(loss)  # cgsan: CG108
        optimizer.step()
        return loss

    first = step()
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        last = step()
    graph.replay()
    print(first.item(), last.item())


if __name__ == "__main__":
    main()
