"""A decoder whose kernel reads its length and its weight from memory, and whose replies are copied."""

import torch
import triton
import triton.language as tl


@triton.jit
def mean(cache, out, length, weight, SIZE: tl.constexpr, LONGEST: tl.constexpr):
    at = tl.arange(0, SIZE)
    count = tl.load(length)
    total = tl.zeros((SIZE,), dtype=tl.float32)
    for row in range(0, LONGEST):
        total += tl.load(cache + row * SIZE + at, mask=(at >= 0) & (row < count), other=0.0)
    tl.store(out + at, tl.load(weight) * total / count)


class Decoder:
    def __init__(self):
        self.cache = torch.zeros(8, 16, device="cuda")
        self.out = torch.zeros(16, device="cuda")
        self.length = torch.zeros((), dtype=torch.int32, device="cuda")
        self.weight = torch.ones((), device="cuda")

    def append(self, row, value):
        self.cache[row].fill_(value)
        self.length.fill_(row + 1)

    def run(self):
        mean[(1,)](self.cache, self.out, self.length, self.weight, SIZE=16, LONGEST=8)


decoder = Decoder()
decoder.append(0, 1.0)
decoder.run()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    decoder.run()

replies = []
for row, value in enumerate((2.0, 3.0, 4.0), start=1):
    decoder.append(row, value)
    decoder.weight.fill_(value)
    graph.replay()
    replies.append(decoder.out.clone())
for reply, want in zip(replies, (3.0, 6.0, 10.0), strict=True):
    torch.testing.assert_close(reply, torch.full_like(reply, want))
