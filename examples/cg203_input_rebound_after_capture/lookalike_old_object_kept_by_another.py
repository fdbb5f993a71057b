"""The learner takes a new policy, and the actor goes on with the old one, of which its graph is."""

import copy

import torch
from torch import nn


class Learner:
    def __init__(self, policy):
        self.policy = policy

    def renew(self):
        self.policy = copy.deepcopy(self.policy)
        self.policy.weight.data.add_(1)


class Actor:
    def __init__(self, policy, x):
        self.policy, self.x = policy, x

    def act(self):
        return self.policy(self.x)


with torch.no_grad():
    learner = Learner(nn.Linear(4, 4).cuda())
    actor = Actor(learner.policy, torch.ones(2, 4, device="cuda"))
    actor.act()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        action = actor.act()
    for _ in range(4):
        learner.renew()
        graph.replay()
        print("replay", action.sum().item(), "eager", actor.act().sum().item())
