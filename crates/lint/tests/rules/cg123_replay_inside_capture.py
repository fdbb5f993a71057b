# --- fails
import torch


class Speculative:
    """Drafts tokens with a small model, and checks them with a large one."""

    def __init__(self):
        self.tokens = torch.zeros(4, device="cuda")
        self.draft = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.draft):
            self.drafted = self.tokens + 1

    def verify(self):
        self.draft.replay()  # cgsan: CG123
        return self.drafted * 2


speculative = Speculative()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    verified = speculative.verify()
# --- fixed
import torch


class Speculative:
    """Drafts tokens with a small model, and checks them with a large one."""

    def __init__(self):
        self.tokens = torch.zeros(4, device="cuda")
        self.draft = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.draft):
            self.drafted = self.tokens + 1

    def verify(self):
        return self.drafted * 2


speculative = Speculative()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    verified = speculative.verify()
speculative.draft.replay()
graph.replay()
# --- lookalike
import torch


class Trajectory:
    def __init__(self):
        self.steps = []

    def replay(self):
        return sum(self.steps)


trajectory = Trajectory()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + trajectory.replay()
graph.replay()
