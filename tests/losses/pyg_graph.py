"""PyTorch Geometric: convolutions and attention over the edges of a graph are trained."""

import torch
from torch import nn
from torch_geometric.nn import GATConv, GCNConv, GINConv, SAGEConv, global_mean_pool
from ways import DEVICE, adamw, train


class Network(nn.Module):
    """A layer of each kind."""

    def __init__(self):
        super().__init__()
        # Loops are not looked for, which would ask the device how many there are.
        self.first = GCNConv(8, 16, add_self_loops=False)
        self.second = GATConv(16, 16, add_self_loops=False)
        self.third = SAGEConv(16, 16, aggr="max")
        self.fourth = GINConv(nn.Linear(16, 16))
        self.last = nn.Linear(16, 3)

    def forward(self, x, edges, graphs):
        for layer in (self.first, self.second, self.third, self.fourth):
            x = layer(x, edges).relu()
        return self.last(global_mean_pool(x, graphs, 4))


def loss_of(model, x, edges, graphs, classes):
    return nn.functional.cross_entropy(model(x, edges, graphs), classes)


graphs = torch.arange(4).repeat_interleave(6)
batches = [
    (
        torch.randn(24, 8),
        torch.randint(0, 6, (2, 80)) + 6 * torch.randint(0, 4, (80,)),
        graphs,
        torch.randint(0, 3, (4,)),
    )
    for _ in range(3)
]
model = Network().to(DEVICE)
train(model, adamw(model.parameters()), batches, loss_of)
