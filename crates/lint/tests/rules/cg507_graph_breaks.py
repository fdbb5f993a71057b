# --- fails
import torch


@torch.compile(mode="reduce-overhead")
def step(x):
    y = x.cos()
    if y.sum() > 0:  # cgsan: CG507
        y = y + 1
    return y.sin()


step(torch.ones(8, device="cuda"))
# --- fixed
import torch


@torch.compile(mode="reduce-overhead")
def step(x):
    y = x.cos()
    y = torch.where(y.sum() > 0, y + 1, y)
    return y.sin()


step(torch.ones(8, device="cuda"))
# --- lookalike
import torch


@torch.compile
def step(x):
    y = x.cos()
    if y.sum() > 0:
        y = y + 1
    return y.sin()


step(torch.ones(8, device="cuda"))
