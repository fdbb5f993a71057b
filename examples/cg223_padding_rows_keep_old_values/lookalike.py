"""The ids behind a smaller batch are old, and lead to rows that are cut off; its slots are reset."""

import torch

SIZE, DUMP = 4, 8
table = torch.arange(32.0, device="cuda").view(8, 4)
head = torch.ones(2, 4, device="cuda")


def step(cache, ids, slots):
    hidden = torch.nn.functional.embedding(ids, table)
    cache.index_copy_(0, slots, hidden)
    return torch.nn.functional.linear(hidden, head)


cache = torch.zeros(DUMP + 1, 4, device="cuda")
reference = torch.zeros(DUMP + 1, 4, device="cuda")
ids = torch.zeros(SIZE, dtype=torch.long, device="cuda")
slots = torch.full((SIZE,), DUMP, device="cuda")
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    step(cache, ids, slots)
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    out = step(cache, ids, slots)

replayed, eager = [], []
for count in (4, 2, 3):
    new_ids = torch.arange(count, device="cuda") + 2
    new_slots = torch.arange(count, device="cuda") + count
    ids[:count].copy_(new_ids)
    slots.fill_(DUMP)
    slots[:count].copy_(new_slots)
    graph.replay()
    replayed.append(out[:count].sum().item())
    eager.append(step(reference, new_ids, new_slots).sum().item())
replayed.append(cache[:DUMP].sum().item())
eager.append(reference[:DUMP].sum().item())
print("replay", replayed, "eager", eager)
