"""Other names of the output, which are read as what they are: bound once, bound anew before they are read, read before the next replay,
compared by where they lie, and set up by the first call."""

import torch

torch.manual_seed(0)
weight = torch.randn(4, 4, device="cuda")
x = torch.zeros(2, 4, device="cuda")
x @ weight
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    output = torch.tanh(x @ weight)


class Model:
    alias, last, best, highest = None, None, None, float("-inf")

    def __init__(self):
        self.kept = torch.zeros(2, 4, device="cuda")

    def __call__(self, batch):
        x.copy_(batch)
        graph.replay()
        if self.alias is None:
            self.alias = output
        moved = (self.alias - self.kept).norm()
        self.kept.copy_(output)
        self.last = output
        return self.last * 2, moved

    def search(self, batches):
        for it in batches:
            score = self(it)[0].sum().item()
            if score > self.highest:
                self.highest, self.best = score, output.clone()
        return self.best


batches = torch.randn(6, 2, 4, device="cuda")
x.copy_(batches[0])
graph.replay()
result = output
replayed, eager = [result.sum().item()], [torch.tanh(batches[0] @ weight).sum().item()]
pending = None
for batch in batches:
    if pending is not None:
        replayed.append(pending.sum().item())
    x.copy_(batch)
    graph.replay()
    pending = output
    newest = output
    assert torch.equal(result, torch.tanh(batch @ weight)) and newest is result
    eager.append(newest.sum().item())
replayed.append(pending.sum().item())

first, second = output, None
graph.replay()
second = output
assert first.data_ptr() == second.data_ptr() and first.shape == second.shape
model = Model()
for batch in batches:
    doubled, _ = model(batch)
    replayed.append(doubled.sum().item())
    eager.append((torch.tanh(batch @ weight) * 2).sum().item())
best = max((torch.tanh(it @ weight) for it in batches), key=lambda it: it.sum().item())
replayed.append(Model().search(batches).tolist())
print("replay", replayed, "eager", [*eager, best.tolist()])
