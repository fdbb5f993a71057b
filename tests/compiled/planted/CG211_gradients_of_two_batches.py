"""Gradients of several batches are kept for their norms; the compiled backward pass writes all of them into the same memory."""

import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.SiLU(), torch.nn.Linear(16, 1)).cuda()
fast = torch.compile(model, mode="reduce-overhead")


def gradient(x):
    model.zero_grad()
    fast(x).square().mean().backward()  # cgsan: label
    return model[0].weight.grad


for _ in range(3):
    gradient(torch.randn(4, 8, device="cuda"))
of_batches = [gradient(torch.randn(4, 8, device="cuda")) for _ in range(3)]
print([it.norm().item() for it in of_batches])  # cgsan: CG211
