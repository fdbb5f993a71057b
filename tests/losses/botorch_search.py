"""BoTorch: a Gaussian process is fitted, and the most promising points are looked for."""

import torch
from botorch.acquisition import ExpectedImprovement, qExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.optim import optimize_acqf
from botorch.sampling import SobolQMCNormalSampler
from gpytorch.mlls import ExactMarginalLogLikelihood
from ways import DEVICE, say

x = torch.rand(12, 2, dtype=torch.double)
y = -((x - 0.4) ** 2).sum(1, keepdim=True)
x, y = x.to(DEVICE), y.to(DEVICE)
model = SingleTaskGP(x, y)
fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
tries = torch.rand(5, 1, 2, dtype=torch.double).to(DEVICE)
improvement = ExpectedImprovement(model, best_f=y.max())
say(model.posterior(tries[:, 0]).mean)
say(improvement(tries))
sampler = SobolQMCNormalSampler(torch.Size([64]), seed=0)
say(qExpectedImprovement(model, y.max(), sampler)(tries.reshape(1, 5, 2)))
bounds = torch.tensor([[0.0, 0.0], [1.0, 1.0]], dtype=torch.double).to(DEVICE)
start = torch.tensor([[[0.2, 0.7]]], dtype=torch.double).to(DEVICE)
point, value = optimize_acqf(
    improvement, bounds, q=1, num_restarts=1, batch_initial_conditions=start
)
say(point, value)
