"""Eager calls have batches of several sizes before a capture for the largest, which replays pad. The memory of results is asked for by
its sizes.
"""

import torch


class Lookup:
    def __init__(self):
        self.table = torch.arange(400.0, device="cuda").view(20, 20)
        self.tokens = torch.zeros(3, dtype=torch.long, device="cuda")

    def __call__(self, tokens):
        out = torch.empty(len(tokens), 20, device="cuda")
        torch.index_select(self.table, 0, tokens, out=out)
        return out


def main():
    lookup = Lookup()
    for count in (3, 2, 1):
        lookup(torch.arange(count, device="cuda"))
    graph = torch.cuda.CUDAGraph()
    lookup(lookup.tokens)
    with torch.cuda.graph(graph):
        out = lookup(lookup.tokens)
    for count in (3, 2, 1):
        tokens = torch.arange(count, device="cuda") + 4
        lookup.tokens[:count].copy_(tokens)
        graph.replay()
        assert torch.equal(out[:count].cpu(), lookup.table[tokens].cpu())


if __name__ == "__main__":
    main()
