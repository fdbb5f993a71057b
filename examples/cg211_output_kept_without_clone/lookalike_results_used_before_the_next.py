"""Each result is used up before the next call, or is only looked at again when it is the newest, or was copied."""

import torch


class Denoiser:
    def __init__(self):
        self.latents = torch.zeros(4, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.noise = self.latents * 0.5

    def __call__(self, latents):
        self.latents.copy_(latents)
        self.graph.replay()
        return self.noise


def used_at_once(denoise):
    latents = torch.ones(4, device="cuda")
    for _ in range(3):
        first = denoise(latents)
        middle = latents - first * 0.5
        second = denoise(middle)
        latents = latents - second
    return latents


def looked_at_as_the_newest(denoise):
    noise = denoise(torch.ones(4, device="cuda"))
    for step in range(3):
        denoise(torch.full((4,), float(step), device="cuda"))
    return noise


def copied(denoise):
    plain = denoise(torch.zeros(4, device="cuda")).clone()
    guided = denoise(torch.ones(4, device="cuda"))
    return torch.lerp(plain, guided, 3.0)


def handed_on(denoise):
    noise = denoise(torch.ones(4, device="cuda"))
    total = noise.sum()
    noise = denoise(noise)
    return total + noise.sum()


denoise = Denoiser()
for function in (used_at_once, looked_at_as_the_newest, copied, handed_on):
    print(function.__name__, function(denoise).sum().item())
