# --- fails
import torch


class Policy(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(8))

    def forward(self, observation):
        return (observation * self.scale).log_softmax(-1)


policy = Policy().cuda()
observations = torch.randn(16, 8, device="cuda")
returns = torch.ones(16, 1, device="cuda")
log_probabilities = policy(observations)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = -(log_probabilities * returns).mean()
    loss.backward()  # cgsan: CG108
# --- fixed
import torch


class Policy(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(8))

    def forward(self, observation):
        return (observation * self.scale).log_softmax(-1)


policy = Policy().cuda()
observations = torch.randn(16, 8, device="cuda")
returns = torch.ones(16, 1, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    log_probabilities = policy(observations)
    loss = -(log_probabilities * returns).mean()
    loss.backward()
# --- lookalike
import torch

policy = torch.nn.LayerNorm(8).cuda()
critic = torch.nn.Linear(8, 1).cuda()
observations = torch.randn(16, 8, device="cuda")
with torch.no_grad():
    advantages = 1 - critic(observations)
old = policy(observations).log_softmax(-1).detach()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    ratio = (policy(observations).log_softmax(-1) - old).exp()
    loss = -(ratio * advantages).mean()
    loss.backward()
