"""Losses that a compiled function returns are kept without their history, which is no copy: all are the last one. Kernels
are compiled in processes of a pool, as where nothing else is asked for."""

import torch
import torch._inductor.config

torch._inductor.config.compile_threads = 2
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.GELU(), torch.nn.Linear(16, 1)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


@torch.compile(mode="reduce-overhead")
def loss_of(x):
    return torch.nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))


def train(steps, losses=None):
    for _ in range(steps):
        loss = loss_of(torch.randn(16, 8, device="cuda"))  # cgsan: label
        if losses is not None:
            losses.append(loss.detach())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


kept = []
train(4)
train(5, kept)
print("mean", torch.stack(kept).mean().item())  # cgsan: CG211
