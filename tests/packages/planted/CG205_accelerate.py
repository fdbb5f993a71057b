"""A scheduler of accelerate moves the learning rate between replays, which have that of the capture."""

import torch
from accelerate import Accelerator
from torch import nn


def main():
    accelerator = Accelerator()
    model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    model, optimizer, scheduler = accelerator.prepare(model, optimizer, scheduler)
    inputs = torch.randn(8, 16, device=accelerator.device)
    labels = torch.randint(0, 4, (8,), device=accelerator.device)

    def step():
        optimizer.zero_grad(set_to_none=True)
        accelerator.backward(nn.functional.cross_entropy(model(inputs), labels))
        optimizer.step()  # cgsan: CG205

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
            scheduler.step()
    torch.cuda.current_stream().wait_stream(side)
    optimizer.zero_grad(set_to_none=True)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    for _ in range(5):
        inputs.copy_(torch.randn(8, 16))
        graph.replay()
        scheduler.step()
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
