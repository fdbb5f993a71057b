"""The first call takes its mean for the running mean, and later calls move it; the first call is captured."""

import torch


class Normalizer:
    def __init__(self):
        self.mean = None

    def __call__(self, x):
        if self.mean is None:
            self.mean = x.mean(0)  # cgsan: CG217
        else:
            self.mean.lerp_(x.mean(0), 0.1)
        return x - self.mean


x = torch.zeros(8, 4, device="cuda")
normalizer, reference = Normalizer(), Normalizer()
reference(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = normalizer(x)

replayed, eager = [], []
for value in (1.0, 2.0, 3.0):
    x.fill_(value)
    graph.replay()
    replayed.append(y[0, 0].item())
    eager.append(reference(x)[0, 0].item())
print("replay", replayed, "eager", eager)
