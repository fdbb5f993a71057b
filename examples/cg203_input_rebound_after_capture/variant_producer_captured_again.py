"""The encoder is captured again for longer inputs; the graph of the decoder goes on reading the output of the first capture."""

import torch
from torch import nn


class Stage:
    def __init__(self, compute):
        self.compute = compute

    def capture(self, *inputs):
        self.inputs = inputs
        self.compute(*inputs)
        torch.cuda.synchronize()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.output = self.compute(*inputs)
        return self.output

    def run(self):
        self.graph.replay()  # cgsan: CG203
        return self.output


@torch.no_grad()
def main():
    torch.manual_seed(1)
    encode = nn.Linear(4, 8, device="cuda")
    decode = nn.Linear(8, 2, device="cuda")
    encoder, decoder = Stage(lambda x: encode(x).sum(0)), Stage(decode)
    short = torch.randn(3, 4, device="cuda")
    decoder.capture(encoder.capture(short))
    encoder.run()
    decoder.run()

    longer = torch.randn(6, 4, device="cuda")
    encoder.capture(longer)
    for _ in range(3):
        longer.copy_(torch.randn(6, 4))
        encoder.run()
        replayed = decoder.run().tolist()
        print("replay", replayed, "eager", decode(encode(longer).sum(0)).tolist())


main()
