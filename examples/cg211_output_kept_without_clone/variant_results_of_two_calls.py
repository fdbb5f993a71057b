"""Guidance calls the model with and without the prompt; both results are the memory of the second replay."""

import torch


class Denoiser:
    def __init__(self):
        self.latents = torch.zeros(4, device="cuda")
        self.prompt = torch.zeros(4, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.noise = self.latents * 0.5 + self.prompt

    def __call__(self, latents, prompt):
        self.latents.copy_(latents)
        self.prompt.copy_(prompt)
        self.graph.replay()  # cgsan: CG211
        return self.noise


def sample(denoise, prompt, steps=3, scale=3.0):
    latents, empty = torch.ones(4, device="cuda"), torch.zeros(4, device="cuda")
    for _ in range(steps):
        plain = denoise(latents, empty)
        guided = denoise(latents, prompt)
        latents = latents - torch.lerp(plain, guided, scale) * 0.1
    return latents


prompt = torch.full((4,), 2.0, device="cuda")
replayed = sample(Denoiser(), prompt)
eager = sample(lambda latents, prompt: latents * 0.5 + prompt, prompt)
print("replay", replayed[0].item(), "eager", eager[0].item())
