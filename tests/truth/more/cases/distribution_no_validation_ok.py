import torch
from torch.distributions import Categorical, Normal

mean = torch.zeros(4, device="cuda")
std = torch.ones(4, device="cuda")
x = torch.ones(4, device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    nll = -Normal(mean, std, validate_args=False).log_prob(x).sum()
    token = Categorical(logits=x, validate_args=False).sample()
g.replay()
torch.cuda.synchronize()
print("ok")
