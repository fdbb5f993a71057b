"""A training step is captured with an optimizer of bitsandbytes, which waits for the GPU in each step."""

import bitsandbytes as bnb
import torch
from torch import nn


def main():
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64)).cuda()
    optimizer = bnb.optim.AdamW8bit(model.parameters(), lr=1e-3, min_8bit_size=16)
    x = torch.randn(8, 64, device="cuda")

    def step():
        optimizer.zero_grad(set_to_none=True)
        model(x).square().mean().backward()
        optimizer.step()  # cgsan: CG101

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()


if __name__ == "__main__":
    main()
