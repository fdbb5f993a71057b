"""bitsandbytes: layers with eight and with four bits in graphs, and an optimizer whose state has eight bits."""

import bitsandbytes as bnb
import torch
from torch import nn


def infer(layer):
    model = nn.Sequential(layer, nn.ReLU()).cuda()
    x = torch.randn(8, 64, device="cuda", dtype=torch.float16)
    with torch.no_grad():
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                model(x)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            model(x)
    for _ in range(3):
        x.copy_(torch.randn(8, 64))
        graph.replay()
    torch.cuda.synchronize()


def train():
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64)).cuda()
    optimizer = bnb.optim.AdamW8bit(model.parameters(), lr=1e-3, min_8bit_size=16)
    x = torch.randn(8, 64, device="cuda")
    graphed = torch.cuda.make_graphed_callables(model, (x,))
    for _ in range(3):
        optimizer.zero_grad()
        graphed(x).square().mean().backward()
        optimizer.step()


if __name__ == "__main__":
    infer(bnb.nn.Linear8bitLt(64, 32, has_fp16_weights=False).half())
    infer(bnb.nn.Linear4bit(64, 32, quant_type="nf4", compute_dtype=torch.float16))
    train()
