"""Three requests run in the bucket for four, and the length of a fourth, which waits, is overwritten."""

import torch

BUCKETS = (2, 4)


class Runner:
    def __init__(self):
        self.lengths = torch.zeros(8, dtype=torch.long, device="cuda")
        self.requests = torch.zeros(max(BUCKETS), dtype=torch.long, device="cuda")
        self.tokens = torch.zeros(max(BUCKETS), dtype=torch.long, device="cuda")
        self.graphs = {}

    def update(self, requests, tokens):
        self.lengths.scatter_(0, requests, tokens)

    def capture(self):
        for size in reversed(BUCKETS):
            self.graphs[size] = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graphs[size]):
                self.update(self.requests[:size], self.tokens[:size])

    def replay(self, requests, tokens):
        count = len(requests)
        self.tokens.zero_()
        self.tokens[:count].copy_(tokens)
        self.requests[:count].copy_(requests)  # cgsan: label
        size = next(size for size in BUCKETS if size >= count)
        self.graphs[size].replay()  # cgsan: CG223


def serve(step):
    for count in (4, 3):
        step(torch.arange(count, device="cuda"), torch.full((count,), 9, device="cuda"))


graphed, reference = Runner(), Runner()
graphed.capture()
serve(graphed.replay)
serve(reference.update)
print("replay", graphed.lengths[:4].tolist(), "eager", reference.lengths[:4].tolist())
