"""A decoder's scheduler says where the next token goes; all replays write to the place of the capture."""

import torch


class Decoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.zeros(6, 4))
        self.position = 0

    def forward(self, token):
        self.cache[self.position].copy_(token)  # cgsan: CG220
        return self.cache * 2


def decode(decoder, step):
    decoder.cache.zero_()
    for decoder.position in range(6):
        token.fill_(decoder.position + 1)
        step()
    return decoder.cache[:, 0].tolist()


token = torch.zeros(4, device="cuda")
decoder = Decoder().cuda()
eager = decode(decoder, lambda: decoder(token))
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    y = decoder(token)
print("replay", decode(decoder, graph.replay), "eager", eager)
