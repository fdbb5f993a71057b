"""An attribute becomes a clone of what the first replay gave; nothing reads it after the later replays."""

import torch


class Encoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.code = None

    def forward(self, x):
        self.code = (x + 1).abs()
        return self.code * 2


x = torch.ones(4, device="cuda")
encoder, reference = Encoder(), Encoder()
encoder(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = encoder(x)

x.fill_(2)
graph.replay()
encoder.code = encoder.code.clone()
replayed = [encoder.code[0].item()]
reference(x)
eager = [reference.code[0].item()]
for value in (3.0, 4.0):
    x.fill_(value)
    graph.replay()
    replayed.append(y[0].item())
    eager.append(reference(x)[0].item())
print("replay", replayed, "eager", eager)
