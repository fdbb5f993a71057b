import torch
import torch.nn.functional as F

EOS = 3


class Sampler:
    def __init__(self, vocabulary, width):
        self.weight = torch.randn(vocabulary, width, device="cuda")
        self.state = torch.randn(1, width, device="cuda")
        self.token = torch.zeros(1, dtype=torch.long, device="cuda")
        self.finished = False

    def __call__(self):
        logits = self.state @ self.weight.t()
        self.token.copy_(logits.argmax(-1))
        if self.token == EOS:
            self.finished = True
        self.state.add_(F.embedding(self.token, self.weight))


sampler = Sampler(128, 64)
for _ in range(3):
    sampler()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    sampler()
