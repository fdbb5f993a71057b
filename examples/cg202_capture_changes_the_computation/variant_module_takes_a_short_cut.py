"""A module leaves out its second half while it is captured."""

import torch


class Head(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.full((4,), 3.0, device="cuda"))

    def forward(self, x):
        hidden = x * self.scale
        capturing = torch.cuda.is_current_stream_capturing()  # cgsan: CG202
        if not capturing:
            hidden = hidden - hidden.mean()  # cgsan: label
        return hidden


model = Head()
x = torch.ones(4, device="cuda")
with torch.no_grad():
    model(x)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = model(x)

    replayed, eager = [], []
    for value in (1.0, 2.0, 3.0):
        x.fill_(value)
        graph.replay()
        replayed.append(y[0].item())
        eager.append(model(x)[0].item())
print("replay", replayed, "eager", eager)
