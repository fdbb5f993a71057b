import torch
from torch.distributions import Normal

mean = torch.zeros(4, device="cuda")
std = torch.ones(4, device="cuda")


def loss(x):
    return -Normal(mean, std).log_prob(x).sum()


x = torch.ones(4, device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    loss(x)
