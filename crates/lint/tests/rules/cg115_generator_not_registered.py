# --- fails
import torch


class Sampler:
    """Draws tokens, with a seed for each request."""

    def __init__(self, seed):
        self.generator = torch.Generator(device="cuda")
        self.generator.manual_seed(seed)

    def __call__(self, logits):
        probabilities = logits.softmax(-1)
        return torch.multinomial(probabilities, 1, generator=self.generator)  # cgsan: CG115


sampler = Sampler(seed=7)
logits = torch.zeros(4, 32, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    tokens = sampler(logits)
# --- fixed
import torch


class Sampler:
    """Draws tokens, with a seed for each request."""

    def __init__(self, seed):
        self.generator = torch.Generator(device="cuda")
        self.generator.manual_seed(seed)

    def __call__(self, logits):
        probabilities = logits.softmax(-1)
        return torch.multinomial(probabilities, 1, generator=self.generator)


sampler = Sampler(seed=7)
logits = torch.zeros(4, 32, device="cuda")
graph = torch.cuda.CUDAGraph()
graph.register_generator_state(sampler.generator)
with torch.cuda.graph(graph):
    tokens = sampler(logits)
# --- lookalike
import torch

shuffle = torch.Generator()
shuffle.manual_seed(7)
logits = torch.zeros(4, 32, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    tokens = torch.multinomial(logits.softmax(-1), 1)
for _ in range(3):
    order = torch.randperm(4, generator=shuffle)
    graph.replay()
