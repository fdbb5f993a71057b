# --- a sampler draws noise from a generator of its own
import torch


class Diffusion:
    def __init__(self, seed):
        self.generator = torch.Generator(device="cuda")
        self.generator.manual_seed(seed)
        self.x = torch.zeros(4, 8, device="cuda")

    def step(self):
        noise = torch.randn(4, 8, device="cuda", generator=self.generator)  # cgsan: CG115
        self.x.add_(noise, alpha=0.1)


sampler = Diffusion(seed=0)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    sampler.step()
# --- tokens are drawn with `multinomial`
import torch
from torch import Generator

generator = Generator("cuda").manual_seed(1)
probabilities = torch.full((4, 32), 1 / 32, device="cuda")


def sample(probabilities, generator=None):
    return torch.multinomial(probabilities, 1, generator=generator)  # cgsan: CG115


graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    token = sample(probabilities, generator)
# --- in place, in a capture by hand
import torch

rng = torch.Generator(device=torch.device("cuda", 0))
buffer = torch.empty(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.stream(torch.cuda.Stream()):
    graph.capture_begin()
    buffer.normal_(mean=0.0, std=1.0, generator=rng)  # cgsan: CG115
    graph.capture_end()
# --- another generator is registered
import torch

a, b = torch.Generator(device="cuda"), torch.Generator(device="cuda")
buffer = torch.empty(8, device="cuda")
graph = torch.cuda.CUDAGraph()
graph.register_generator_state(a)
with torch.cuda.graph(graph):
    buffer.uniform_(generator=a)
    buffer.uniform_(generator=b)  # cgsan: CG115
# --- silent: all of a list are registered
import torch

generators = [torch.Generator(device="cuda") for _ in range(2)]
buffer = torch.empty(8, device="cuda")
graph = torch.cuda.CUDAGraph()
for generator in generators:
    graph.register_generator_state(generator)
with torch.cuda.graph(graph):
    for generator in generators:
        buffer.normal_(generator=generator)
# --- silent: the default generator, and one of the host
import torch

host = torch.Generator()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    order = torch.randperm(8, generator=host)
    y = torch.nn.functional.dropout(x, 0.5) + torch.randn_like(x)
# --- silent: it is used outside the capture only
import torch

generator = torch.Generator(device="cuda")
x = torch.randn(8, device="cuda", generator=generator)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
x.normal_(generator=generator)
# --- a subclass of a module of PyTorch's has a generator of its own
import torch


class NoisyLinear(torch.nn.Linear):
    def __init__(self, width, seed):
        super().__init__(width, width, device="cuda")
        self.rng = torch.Generator("cuda").manual_seed(seed)

    def forward(self, x):
        noise = torch.randn(x.shape, generator=self.rng, device=x.device)  # cgsan: CG115
        return super().forward(x + noise)


layer = NoisyLinear(8, seed=3)
x = torch.zeros(2, 8, device="cuda")
layer(x)
with torch.no_grad(), torch.cuda.graph(torch.cuda.CUDAGraph()):
    y = layer(x)
# --- the graph knows all generators of such modules
import torch


class NoisyLinear(torch.nn.Linear):
    def __init__(self, width, seed):
        super().__init__(width, width, device="cuda")
        self.rng = torch.Generator("cuda").manual_seed(seed)

    def forward(self, x):
        noise = torch.randn(x.shape, generator=self.rng, device=x.device)
        return super().forward(x + noise)


layer = NoisyLinear(8, seed=3)
x = torch.zeros(2, 8, device="cuda")
layer(x)
graph = torch.cuda.CUDAGraph()
for module in layer.modules():
    if isinstance(module, NoisyLinear):
        graph.register_generator_state(module.rng)
with torch.no_grad(), torch.cuda.graph(graph):
    y = layer(x)
