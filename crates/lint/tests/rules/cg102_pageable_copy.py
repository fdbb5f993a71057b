# --- fails
import torch


class Decoder(torch.nn.Module):
    def __init__(self, vocabulary):
        super().__init__()
        self.embedding = torch.nn.Embedding(vocabulary, 8)

    def forward(self, tokens):
        hidden = self.embedding(tokens)
        scale = torch.tensor([1.0, 0.5], device=hidden.device)  # cgsan: CG102
        return hidden * scale[0]


decoder = Decoder(32).cuda()
tokens = torch.zeros(4, dtype=torch.long, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.inference_mode(), torch.cuda.graph(graph):
    hidden = decoder(tokens)
# --- fixed
import torch


class Decoder(torch.nn.Module):
    def __init__(self, vocabulary):
        super().__init__()
        self.embedding = torch.nn.Embedding(vocabulary, 8)
        self.register_buffer("scale", torch.tensor([1.0, 0.5]))

    def forward(self, tokens):
        hidden = self.embedding(tokens)
        return hidden * self.scale[0]


decoder = Decoder(32).cuda()
tokens = torch.zeros(4, dtype=torch.long, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.inference_mode(), torch.cuda.graph(graph):
    hidden = decoder(tokens)
# --- lookalike
import torch

tokens = torch.zeros(4, dtype=torch.long, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    following = tokens + 1
for _ in range(8):
    tokens.copy_(torch.tensor([1, 2, 3, 4]))
    graph.replay()
    print(following.cpu().numpy(), following.tolist())
