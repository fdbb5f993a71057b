"""A search keeps the output of its best candidate in an attribute, which its caller reads in the end."""

import torch

torch.manual_seed(0)


class Search:
    def __init__(self):
        self.candidate = torch.zeros(4, device="cuda")
        self.best, self.highest = None, float("-inf")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.output = torch.tanh(self.candidate)

    def run(self, candidates):
        for it in candidates:
            self.candidate.copy_(it)
            self.graph.replay()  # cgsan: CG211
            score = self.output.sum().item()
            if score > self.highest:
                self.highest = score
                self.best = self.output


candidates = torch.tensor([[0.5], [2.0], [1.0]], device="cuda").expand(3, 4)
search = Search()
search.run(candidates)
print("replay", search.best.tolist(), "eager", torch.tanh(candidates[1]).tolist())
