"""The last batch of an epoch is smaller; the loss of the graph counts in rows that the batch before it has left."""

import torch

torch.manual_seed(0)
model = torch.nn.Linear(6, 3).cuda()
x = torch.zeros(4, 6, device="cuda")
labels = torch.zeros(4, dtype=torch.long, device="cuda")
loss = torch.zeros((), device="cuda")


def evaluate(x, labels):
    return torch.nn.functional.cross_entropy(model(x), labels)


with torch.no_grad():
    evaluate(x, labels)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        loss.copy_(evaluate(x, labels))

    replayed, eager = [], []
    for count in (4, 4, 2):
        batch = torch.randn(count, 6, device="cuda")
        wanted = torch.randint(3, (count,), device="cuda")
        x[:count].copy_(batch)  # cgsan: label
        labels[:count].copy_(wanted)
        graph.replay()  # cgsan: CG223
        replayed.append(round(loss.item(), 4))
        eager.append(round(evaluate(batch, wanted).item(), 4))
print("replay", replayed, "eager", eager)
