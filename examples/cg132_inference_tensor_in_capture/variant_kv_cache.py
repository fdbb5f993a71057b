"""A set-up method makes the key-value cache in inference mode; the captured step appends to it."""

import torch


class Decoder:
    def __init__(self):
        self.weight = torch.ones(8, device="cuda")
        self.hidden = torch.ones(1, 8, device="cuda")
        self.position = torch.zeros(1, dtype=torch.long, device="cuda")

    @torch.inference_mode()
    def set_up(self, length):
        self.cache = torch.zeros(length, 8, device="cuda")

    @torch.no_grad()
    def decode(self):
        key = self.hidden * self.weight
        self.cache.index_copy_(0, self.position, key)  # cgsan: CG132
        self.position.add_(1)
        return self.cache.sum(dim=0)


decoder = Decoder()
decoder.set_up(16)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    output = decoder.decode()
for _ in range(3):
    graph.replay()
torch.cuda.synchronize()
