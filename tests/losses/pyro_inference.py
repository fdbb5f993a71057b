"""Pyro: a mixture is learned with its parts summed over, and the likelihood of a hidden Markov model is computed."""

import pyro
import pyro.distributions as dist
import torch
from pyro.infer import SVI, TraceEnum_ELBO, config_enumerate
from ways import DEVICE, say

data = torch.cat([torch.randn(10) - 3, torch.randn(10) + 2]).to(DEVICE)


@config_enumerate
def mixture(data):
    weights = pyro.param("weights", torch.tensor([0.4, 0.6]).to(DEVICE), dist.constraints.simplex)
    means = pyro.param("means", torch.tensor([-1.0, 1.0]).to(DEVICE))
    scale = pyro.param("scale", torch.tensor(1.5).to(DEVICE), dist.constraints.positive)
    with pyro.plate("data", len(data)):
        which = pyro.sample("which", dist.Categorical(weights), infer={"enumerate": "parallel"})
        pyro.sample("seen", dist.Normal(means[which], scale), obs=data)


def nothing(data):
    pass


svi = SVI(mixture, nothing, pyro.optim.Adam({"lr": 0.1}), TraceEnum_ELBO(max_plate_nesting=1))
for _ in range(6):
    say(float(svi.step(data)))
say(pyro.param("means"))

hidden = dist.DiscreteHMM(
    torch.tensor([0.1, -0.2, 0.3]).to(DEVICE),
    torch.randn(3, 3).to(DEVICE),
    dist.Normal(torch.tensor([-2.0, 0.0, 2.0]).to(DEVICE), 1.0),
)
say(hidden.log_prob(data[:, None].T))
for kind in (
    dist.LKJCholesky(3, torch.tensor(2.0).to(DEVICE)),
    dist.VonMises(torch.tensor(0.3).to(DEVICE), torch.tensor(2.0).to(DEVICE)),
    dist.StudentT(torch.tensor(3.0).to(DEVICE)),
):
    value = torch.eye(3).to(DEVICE) if kind.event_shape else torch.tensor(0.7).to(DEVICE)
    say(kind.log_prob(value))
