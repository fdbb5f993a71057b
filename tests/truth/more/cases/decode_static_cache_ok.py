import torch
import torch.nn.functional as F

torch.manual_seed(0)
B, H, T, D = 1, 4, 32, 16


class Decoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(64, H * D)
        self.qkv = torch.nn.Linear(H * D, 3 * H * D, bias=False)
        self.out = torch.nn.Linear(H * D, 64, bias=False)
        self.register_buffer("k", torch.zeros(B, H, T, D))
        self.register_buffer("v", torch.zeros(B, H, T, D))

    @torch.no_grad()
    def forward(self, token, position):
        q, k, v = self.qkv(self.embed(token)).view(B, 1, 3, H, D).permute(2, 0, 3, 1, 4)
        self.k.index_copy_(2, position, k)
        self.v.index_copy_(2, position, v)
        mask = torch.arange(T, device=token.device)[None, None, None] <= position
        y = F.scaled_dot_product_attention(q, self.k, self.v, attn_mask=mask.expand(B, H, 1, T))
        return self.out(y.transpose(1, 2).reshape(B, 1, H * D)).argmax(-1)


net = Decoder().half().cuda()
token = torch.zeros(B, 1, dtype=torch.long, device="cuda")
position = torch.zeros(1, dtype=torch.long, device="cuda")
stream = torch.cuda.Stream()
stream.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(stream):
    for _ in range(2):
        net(token, position)
torch.cuda.current_stream().wait_stream(stream)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    following = net(token, position)
    token.copy_(following)
    position += 1
position.zero_()
for _ in range(5):
    graph.replay()
torch.cuda.synchronize()
print("done")
