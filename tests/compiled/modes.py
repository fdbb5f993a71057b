"""A module compiled in the modes that people use, for inference and for training."""

import torch


def build():
    torch.manual_seed(0)
    return torch.nn.Sequential(
        torch.nn.Linear(64, 64), torch.nn.GELU(), torch.nn.Linear(64, 8)
    ).cuda()


def infer(mode, x):
    model = torch.compile(build(), mode=mode)
    with torch.no_grad():
        for _ in range(4):
            model(x)


def train(x):
    model = build()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    compiled = torch.compile(model, mode="reduce-overhead")
    for _ in range(4):
        loss = compiled(x).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def main():
    x = torch.randn(8, 64, device="cuda")
    for mode in ("default", "reduce-overhead"):
        infer(mode, x)
        torch._dynamo.reset()
    train(x)
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
