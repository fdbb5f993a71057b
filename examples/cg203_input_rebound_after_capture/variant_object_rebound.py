"""The object that holds the weights is replaced by another one, and the graph reads those of the first."""

from dataclasses import dataclass

import torch


@dataclass
class Adapter:
    weight: torch.Tensor


class Server:
    def __init__(self, adapters):
        self.adapters = adapters
        self.active = adapters["base"]
        self.x = torch.ones(2, 4, device="cuda")

    def forward(self):
        return self.x @ self.active.weight  # cgsan: label

    def capture(self):
        self.forward()
        torch.cuda.synchronize()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = self.forward()

    def serve(self, name):
        self.active = self.adapters[name]  # cgsan: CG203
        self.graph.replay()
        return self.y[0, 0].item()


names = ("base", "legal", "code")
adapters = {it: Adapter(torch.full((4, 4), float(len(it)), device="cuda")) for it in names}
server = Server(adapters)
server.capture()
for name in ("base", "legal", "code", "base"):
    print("replay", server.serve(name), "eager", server.forward()[0, 0].item())
