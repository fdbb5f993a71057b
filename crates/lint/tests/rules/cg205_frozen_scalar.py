# --- fails
import torch


def denoise(x, t):
    return x - 0.01 * t * x  # cgsan: CG205


latents = torch.randn(1, 4, 8, 8, device="cuda")
graph = None
for t in range(50):
    if graph is None:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            out = denoise(latents, t)
    graph.replay()
    latents.copy_(out)
# --- fixed
import torch


def denoise(x, t):
    return x - 0.01 * t * x


latents = torch.randn(1, 4, 8, 8, device="cuda")
now = torch.zeros((), device="cuda")
graph = None
for t in range(50):
    if graph is None:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            out = denoise(latents, now)
    now.fill_(t)
    graph.replay()
    latents.copy_(out)
# --- lookalike
import torch


def denoise(x, t):
    return x - 0.01 * t * x


latents = torch.randn(1, 4, 8, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    out = latents
    for t in range(50):
        out = denoise(out, t)
for sample in range(4):
    latents.normal_()
    graph.replay()
    print(sample, (out * sample).mean().item())
