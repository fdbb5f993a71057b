"""What is summed over all rows of a padded batch goes into each row alone, is masked for this batch, or is made of rows that are the same
at all replays; of the results, the program takes those of its rows."""

import torch

torch.manual_seed(0)
gate = torch.randn(4, 3, device="cuda")
experts = torch.randn(3, 4, device="cuda")
table = torch.randn(8, 4, device="cuda")
places = torch.arange(8, device="cuda")
x = torch.zeros(8, 4, device="cuda")
count = torch.zeros((), device="cuda")
mask = torch.zeros(8, 1, device="cuda")


def mixed():
    shares = torch.softmax(x @ gate, -1)
    loads = torch.nn.functional.one_hot(shares.argmax(-1), 3).sum(0)
    heaviest = loads.argmax()
    rows = shares @ experts + experts.index_select(0, heaviest.reshape(1)) * 0
    masked = (rows * mask).sum(0)
    counted = (rows * (places < count)[:, None]).sum(0) / count
    return rows, masked, counted, table.mean(0), (x + table).sum(1)


mixed()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    results = mixed()

replayed, eager = [], []
for rows in (8, 3, 5):
    batch = torch.randn(rows, 4, device="cuda")
    x[:rows].copy_(batch)
    count.fill_(rows)
    mask.zero_()
    mask[:rows].fill_(1)
    graph.replay()
    own = torch.softmax(batch @ gate, -1) @ experts
    replayed += [results[0][:rows].sum().item(), results[1].sum().item(), results[2].sum().item()]
    eager += [own.sum().item(), own.sum(0).sum().item(), own.mean(0).sum().item()]
    print(results[3].sum().item(), results[4][:rows].sum().item())
print("replay", [round(it, 3) for it in replayed], "eager", [round(it, 3) for it in eager])
