"""A head keeps how many tokens each user has sent, in a dictionary that is emptied before the replays, which add nothing."""

import torch
from torch import nn


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(4))
        self.usage = {}

    def bill(self, user, tokens):
        self.usage[user] = self.usage.get(user, 0) + tokens  # cgsan: CG212

    def forward(self, x):
        self.bill("anyone", x.shape[0])
        return x * self.scale


head = Head().cuda()
x = torch.zeros(4, device="cuda")
with torch.inference_mode():
    head(x)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):  # cgsan: label
        y = head(x)
head.usage.clear()
for value in range(5):
    x.fill_(value)
    graph.replay()
replayed = head.usage.get("anyone", 0)
for value in range(5):
    head(x.fill_(value))
print("replay", replayed, "eager", head.usage["anyone"] - replayed)
