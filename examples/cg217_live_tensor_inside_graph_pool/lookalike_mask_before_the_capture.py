"""A decoder makes its mask in the graph's pool before the capture, so that no temporary of the graph gets its block."""

import torch


class Decoder:
    def __init__(self):
        self.stream = torch.cuda.Stream()
        self.graph = torch.cuda.CUDAGraph()
        self.pool = torch.cuda.MemPool()
        with torch.cuda.stream(self.stream):
            self.tokens = torch.zeros(64, device="cuda")
            self.forward()
            with torch.cuda.use_mem_pool(self.pool):
                self.mask = torch.zeros(64, 64, device="cuda")
        with torch.cuda.graph(self.graph, pool=self.pool.id, stream=self.stream):
            self.scores = self.forward()

    def forward(self):
        return self.tokens.outer(self.tokens).amax(1)

    def step(self, token):
        self.tokens.fill_(token)
        self.graph.replay()


decoder = Decoder()
with torch.cuda.stream(decoder.stream):
    decoder.mask.fill_(0.5)
    replayed, eager = [], []
    for token in (2.0, 3.0):
        decoder.step(token)
        replayed.append((decoder.scores * decoder.mask[0])[0].item())
        eager.append(token * token * 0.5)
print("replay", replayed, "eager", eager)
