"""A module writes its cache at the positions of a batch; the ids behind a smaller one are reset, they are not."""

import torch


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding.from_pretrained(torch.arange(32.0).view(8, 4))
        self.register_buffer("cache", torch.zeros(16, 4))

    def forward(self, ids, positions):
        hidden = self.embed(ids)
        self.cache.index_put_((positions,), hidden)
        return hidden.sum(dim=-1)


layer, reference = Layer().cuda(), Layer().cuda()
ids = torch.zeros(4, dtype=torch.long, device="cuda")
positions = torch.zeros(4, dtype=torch.long, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    sums = layer(ids, positions)

for count in (4, 2):
    new_ids = torch.full((count,), 3, device="cuda")
    new_positions = torch.arange(count, device="cuda") + 8
    ids.zero_()
    ids[:count] = new_ids
    positions[:count] = new_positions  # cgsan: label
    graph.replay()  # cgsan: CG223
    reference(new_ids, new_positions)
print("replay", layer.cache[10:12].tolist(), "eager", reference.cache[10:12].tolist())
