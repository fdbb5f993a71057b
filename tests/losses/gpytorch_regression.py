"""GPyTorch: a Gaussian process is fitted to points, and says what it expects between them."""

import gpytorch
import torch
from ways import DEVICE, say


class Process(gpytorch.models.ExactGP):
    """A smooth function with a constant mean."""

    def __init__(self, x, y, likelihood):
        super().__init__(x, y, likelihood)
        self.mean = gpytorch.means.ConstantMean()
        self.covariance = gpytorch.kernels.ScaleKernel(gpytorch.kernels.MaternKernel(nu=2.5))

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean(x), self.covariance(x))


x = torch.linspace(0, 1, 20).to(DEVICE)
y = (torch.sin(6 * torch.linspace(0, 1, 20)) + 0.1 * torch.randn(20)).to(DEVICE)
likelihood = gpytorch.likelihoods.GaussianLikelihood()
model = Process(x, y, likelihood).to(DEVICE)
model.train()
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
marginal = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
for _ in range(6):
    optimizer.zero_grad()
    loss = -marginal(model(x), y)
    loss.backward()
    optimizer.step()
    say(loss)
model.eval()
with torch.no_grad():
    expected = likelihood(model(torch.tensor([0.03, 0.41, 0.77]).to(DEVICE)))
say(expected.mean, expected.variance)
