"""A module keeps its last output in an attribute, and the next call reads it behind the replay."""

from itertools import pairwise

import torch

torch.manual_seed(0)


class Smoothed(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.frame = torch.zeros(4, device="cuda")
        self.last = None
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.output = torch.relu(self.frame)

    def forward(self, frame):
        self.frame.copy_(frame)
        self.graph.replay()  # cgsan: CG211
        if self.last is None:
            result = self.output.clone()
        else:
            result = torch.lerp(self.last, self.output, 0.5)
        self.last = self.output
        return result


frames = torch.randn(4, 4, device="cuda")
smoothed = Smoothed()
replayed = [smoothed(it).sum().item() for it in frames]
eager = [frames[0].relu().sum().item()]
for one, other in pairwise(frames):
    eager.append(torch.lerp(one.relu(), other.relu(), 0.5).sum().item())
print("replay", replayed, "eager", eager)
