"""A table is computed by a graph once, which is let go of; the decoder reads it for ever, beside stages that are captured later."""

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
        self.graph.replay()
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

    table = encoder.output
    encoder.graph = None

    other = Stage(lambda x: encode(x).sum(0))
    x = torch.randn(6, 4, device="cuda")
    other.capture(x)
    for _ in range(3):
        x.copy_(torch.randn(6, 4))
        other.run()
        decoder.run()
    assert torch.allclose(decoder.output, decode(table), atol=1e-6)


main()
