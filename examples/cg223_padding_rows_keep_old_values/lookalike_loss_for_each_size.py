"""There is a graph for the full batch and one for the smaller last one, and each reads its own rows of the static batch alone."""

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
    graphs = {}
    for count in (4, 2):
        graphs[count] = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graphs[count]):
            loss.copy_(evaluate(x[:count], labels[:count]))

    replayed, eager = [], []
    for count in (4, 4, 2):
        batch = torch.randn(count, 6, device="cuda")
        wanted = torch.randint(3, (count,), device="cuda")
        x[:count].copy_(batch)
        labels[:count].copy_(wanted)
        graphs[count].replay()
        replayed.append(round(loss.item(), 4))
        eager.append(round(evaluate(batch, wanted).item(), 4))
print("replay", replayed, "eager", eager)
