"""A helper hands on a tensor that no operator is given, and that is gone later; a number which it uses changes."""

import torch


class Decoder:
    gain = 1.0

    def decode(self, x, lengths, is_full):
        if not is_full:
            x = x * (torch.arange(len(x), device=x.device) < lengths)
        return x * self.gain  # cgsan: CG205


def capture(decoder, x):
    lengths = torch.full((1,), len(x), device="cuda")
    decoder.decode(x, lengths, is_full=True)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = decoder.decode(x, lengths, is_full=True)
    return graph, y


decoder = Decoder()
x = torch.ones(4, device="cuda")
graph, y = capture(decoder, x)
for step in range(3):
    decoder.gain = 1.0 + step
    graph.replay()  # cgsan: label
    print("replay", y.tolist(), "eager", decoder.decode(x, None, is_full=True).tolist())
