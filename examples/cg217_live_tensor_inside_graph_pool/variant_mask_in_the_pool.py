"""A decoder keeps all of its memory in one pool; the mask of a request gets the block of a temporary of its graph."""

import torch


class Decoder:
    def __init__(self):
        self.stream = torch.cuda.Stream()
        self.graph = torch.cuda.CUDAGraph()
        self.pool = torch.cuda.MemPool()
        with torch.cuda.stream(self.stream):
            self.tokens = torch.zeros(64, device="cuda")
            self.forward()
        with torch.cuda.graph(self.graph, pool=self.pool.id, stream=self.stream):
            self.scores = self.forward()

    def forward(self):
        return self.tokens.outer(self.tokens).amax(1)

    def mask(self, value):
        with torch.cuda.use_mem_pool(self.pool):
            return torch.full((64, 64), value, device="cuda")  # cgsan: label

    def step(self, token):
        self.tokens.fill_(token)
        self.graph.replay()  # cgsan: CG217


decoder = Decoder()
with torch.cuda.stream(decoder.stream):
    mask = decoder.mask(0.5)
    replayed, eager = [], []
    for token in (2.0, 3.0):
        decoder.step(token)
        replayed.append((decoder.scores * mask[0])[0].item())
        eager.append(token * token * 0.5)
print("replay", replayed, "eager", eager)
