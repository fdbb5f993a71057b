"""A module makes a buffer at its first call, which is the capture; the replays write a temporary over it."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.last = None

    def forward(self, x):
        y = x * 2 + 1
        if self.last is None:
            self.last = torch.empty_like(x)  # cgsan: label
        return y


x = torch.zeros(4, device="cuda")
model, reference = Model(), Model()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = model(x)
reference(x)
model.last.zero_()
reference.last.zero_()

replayed, eager = [], []
for value in (1.0, 2.0, 3.0):
    x.fill_(value)
    graph.replay()  # cgsan: CG217
    replayed.append((y - model.last)[0].item())
    model.last.copy_(y)
    z = reference(x)
    eager.append((z - reference.last)[0].item())
    reference.last.copy_(z)
print("replay", replayed, "eager", eager)
