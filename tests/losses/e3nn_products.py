"""e3nn: features that turn with space: spherical harmonics and a tensor product with learned weights."""

import torch
from e3nn import o3
from ways import DEVICE, adamw, train


class Layer(torch.nn.Module):
    """Features times directions."""

    def __init__(self):
        super().__init__()
        self.directions = o3.Irreps.spherical_harmonics(2)
        self.product = o3.FullyConnectedTensorProduct("4x0e+4x1o", self.directions, "4x0e+2x1o")
        self.last = o3.Linear("4x0e+2x1o", "2x0e")

    def forward(self, features, points):
        harmonics = o3.spherical_harmonics(self.directions, points, normalize=True)
        return self.last(self.product(features, harmonics))


batches = [(torch.randn(10, 16), torch.randn(10, 3), torch.randn(10, 2)) for _ in range(3)]
model = Layer().to(DEVICE)
train(
    model,
    adamw(model.parameters()),
    batches,
    lambda model, features, points, wanted: (model(features, points) - wanted).square().mean(),
)
