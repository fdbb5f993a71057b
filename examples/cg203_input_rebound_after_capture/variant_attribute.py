"""A decoder advances its position out of place, and the graph reads the first one for ever."""

import torch


class Decoder:
    def __init__(self):
        self.start = torch.zeros(4, device="cuda")
        self.position = self.start

    def forward(self):
        return self.position * 2  # cgsan: label

    def capture(self):
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.output = self.forward()

    def advance(self):
        self.position = self.position + 1  # cgsan: CG203


decoder = Decoder()
decoder.capture()
replayed, eager = [], []
for _ in range(3):
    decoder.advance()
    decoder.graph.replay()
    replayed.append(decoder.output[0].item())
    eager.append(decoder.forward()[0].item())
print("replay", replayed, "eager", eager)
