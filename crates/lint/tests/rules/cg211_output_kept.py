# --- fails
import torch


class Actor:
    def __init__(self):
        self.observation = torch.zeros(16, 8, device="cuda")
        self.policy = torch.nn.LayerNorm(8).cuda()
        self.graph = torch.cuda.CUDAGraph()
        with torch.no_grad(), torch.cuda.graph(self.graph):
            self.values = self.policy(self.observation)

    def act(self, observation):
        self.observation.copy_(observation)
        self.graph.replay()
        return self.values


actor = Actor()
rollout = []
for step in range(8):
    rollout.append((step, actor.act(torch.randn(16, 8, device="cuda"))))  # cgsan: CG211
print(rollout)
# --- fixed
import torch


class Actor:
    def __init__(self):
        self.observation = torch.zeros(16, 8, device="cuda")
        self.policy = torch.nn.LayerNorm(8).cuda()
        self.graph = torch.cuda.CUDAGraph()
        with torch.no_grad(), torch.cuda.graph(self.graph):
            self.values = self.policy(self.observation)

    def act(self, observation):
        self.observation.copy_(observation)
        self.graph.replay()
        return self.values.clone()


actor = Actor()
rollout = []
for step in range(8):
    rollout.append((step, actor.act(torch.randn(16, 8, device="cuda"))))
print(rollout)
# --- lookalike
import torch

observation = torch.zeros(16, 8, device="cuda")
policy = torch.nn.LayerNorm(8).cuda()
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    values = policy(observation)
rewards, actions = [], []
for _ in range(8):
    graph.replay()
    rewards.append(values.max().item())
    actions.append(values.argmax(-1))
