"""Three graphs of one pool are replayed in the reverse of the order of their captures."""

import torch


class Net(torch.nn.Module):
    def forward(self, x):
        return (x * 3 + 5) * 2  # cgsan: label


net = Net()
inputs = [torch.full((4,), float(value), device="cuda") for value in range(3)]
graphs, outputs = [], []
for x in inputs:
    graph = torch.cuda.CUDAGraph()
    pool = graphs[0].pool() if graphs else None
    with torch.cuda.graph(graph, pool=pool):
        outputs.append(net(x))
    graphs.append(graph)

for graph in reversed(graphs):
    graph.replay()  # cgsan: CG214
replayed = [output[0].item() for output in outputs]
print("replay", replayed, "eager", [net(x)[0].item() for x in inputs])
