# --- fails
import torch


def denoise(x, seed):
    torch.cuda.manual_seed(seed)  # cgsan: CG116
    return x + 0.1 * torch.randn_like(x)


latents = torch.zeros(1, 4, 8, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    latents = denoise(latents, seed=0)
# --- fixed
import torch


def denoise(x):
    return x + 0.1 * torch.randn_like(x)


latents = torch.zeros(1, 4, 8, 8, device="cuda")
torch.cuda.manual_seed(0)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    latents = denoise(latents)
# --- lookalike
import torch

latents = torch.zeros(1, 4, 8, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    noisy = latents + 0.1 * torch.randn_like(latents)
for seed in range(4):
    torch.cuda.manual_seed_all(seed)
    state = torch.cuda.get_rng_state()
    graph.replay()
    torch.cuda.set_rng_state(state)
