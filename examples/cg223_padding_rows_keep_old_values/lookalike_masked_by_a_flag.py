"""Old slots stay behind a smaller batch, and the graph turns those of the padding to a spare row."""

import torch

SIZE, SPARE = 4, 8


class Runner:
    def __init__(self):
        self.cache = torch.zeros(SPARE + 1, device="cuda")
        self.slots = torch.zeros(SIZE, dtype=torch.long, device="cuda")
        self.values = torch.zeros(SIZE, device="cuda")
        self.is_padding = torch.ones(SIZE, dtype=torch.bool, device="cuda")
        self.graph = torch.cuda.CUDAGraph()

    def write(self, slots, values):
        self.cache.index_copy_(0, slots, values)

    def capture(self):
        with torch.cuda.graph(self.graph):
            self.write(self.slots.masked_fill(self.is_padding, SPARE), self.values)

    def replay(self, slots, values):
        count = len(slots)
        self.slots[:count].copy_(slots)
        self.values[:count].copy_(values)
        self.is_padding[:count].fill_(False)
        self.is_padding[count:].fill_(True)
        self.graph.replay()


def serve(step, cache):
    step(torch.arange(4, device="cuda"), torch.full((4,), 1.0, device="cuda"))
    cache[2:4].fill_(5.0)  # two requests are done, and another one is given their slots
    step(torch.arange(4, 6, device="cuda"), torch.full((2,), 2.0, device="cuda"))
    return cache[2:4].sum().item()


graphed, reference = Runner(), Runner()
graphed.capture()
replayed = serve(graphed.replay, graphed.cache)
print("replay", [replayed], "eager", [serve(reference.write, reference.cache)])
