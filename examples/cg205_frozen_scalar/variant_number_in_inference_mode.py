"""A number changes between replays in inference mode, where the captured code converts a tensor before it uses the number."""

import torch


class Sampler:
    guidance = 1.0

    def step(self, x, time):
        x = x - time.float().reshape(1, 1)
        return x * self.guidance  # cgsan: CG205


sampler = Sampler()
x = torch.ones(1, 4, device="cuda")
time = torch.tensor(1, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.inference_mode():
    sampler.step(x, time)
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        y = sampler.step(x, time)
    for step in range(3):
        sampler.guidance = 1.0 + step
        time.fill_(step)
        graph.replay()  # cgsan: label
        print("replay", y.tolist(), "eager", sampler.step(x, time).tolist())
