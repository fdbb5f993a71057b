"""Keys are written to page and offset of a slot; behind a smaller batch are slots of other requests."""

import torch

PAGES, PAGE = 4, 4


class Attention:
    def __init__(self):
        self.keys = torch.zeros(PAGES, PAGE, 8, device="cuda")

    def store(self, slots, keys):
        self.keys[slots // PAGE, slots % PAGE] = keys


class Engine:
    def __init__(self, attention, size):
        self.slots = torch.zeros(size, dtype=torch.long, device="cuda")
        self.keys = torch.zeros(size, 8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            attention.store(self.slots, self.keys)

    def decode(self, slots, keys):
        self.keys[: len(keys)].copy_(keys)
        self.slots[: len(slots)].copy_(slots)  # cgsan: label
        self.graph.replay()  # cgsan: CG223


def key(value, count):
    return torch.full((count, 8), value, device="cuda")


def serve(store, attention):
    store(torch.tensor([0, 4, 8], device="cuda"), key(1.0, 3))
    attention.keys[2].fill_(7.0)  # the third request is done: the prefill of another gets its page
    store(torch.tensor([1, 5], device="cuda"), key(2.0, 2))
    return attention.keys[2].sum().item()


graphed, reference = Attention(), Attention()
engine = Engine(graphed, 3)
print("replay", [serve(engine.decode, graphed)], "eager", [serve(reference.store, reference)])
