# --- Python compares tensors, and makes numbers of them
import math

import torch

a = torch.rand((), device="cuda")
b = torch.rand((), device="cuda")
losses = [a, b]
x = torch.rand(8, device="cuda")
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    best = max(a, b)  # cgsan: CG101
    worst = min(losses)  # cgsan: CG101
    order = sorted(losses, key=lambda loss: -loss)  # cgsan: CG101
    ranked = sorted([(a, "a"), (b, "b")])  # cgsan: CG101
    capped = min(1.0, a)  # cgsan: CG101
    inside = 0 < a < 1  # cgsan: CG101
    root = math.sqrt(a)  # cgsan: CG101
    numbers = list(map(float, losses))  # cgsan: CG101
    large = list(filter(lambda loss: loss > 1, losses))  # cgsan: CG101
# --- the same of numbers, of shapes, of one tensor, of hashes, and what stays on the device
import math

import torch

a = torch.rand((), device="cuda")
b = torch.rand((), device="cuda")
x = torch.rand(8, 4, device="cuda")
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    best = torch.maximum(a, b)
    width = max(x.shape)
    steps = min(4, len(x))
    only = max([a])
    first = a in [a, b]
    kept = a in {a, b}
    named = "a" in {"a": a}
    total = sum([a, b])
    larger = (a > 0) & (a < 1)
    root = math.sqrt(2.0)
    order = sorted({"loss": a})
    doubled = [loss * 2 for loss in (a, b)]
    halves = list(map(lambda loss: loss / 2, [a, b]))
    nothing = a is None or b is None
# --- a tensor that is an index, and masks
import torch

i = torch.randint(0, 4, (4,), device="cuda").max()
a = torch.rand((), device="cuda")
x = torch.rand(8, 8, device="cuda")
mask = x > 0.5
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    row = x[i]  # cgsan: CG101
    best = x[x[0].argmax()]  # cgsan: CG101
    x[i] = 1.0  # cgsan: CG101
    x[mask] = x[0]  # cgsan: CG101
    both = x[mask & (x < 0.7)]  # cgsan: CG101
# --- the same with numbers, with bounds of the device, with indices of one dimension, and a mask that gets a number
import torch

rows = torch.randint(0, 8, (4,), device="cuda")
a = torch.rand((), device="cuda")
x = torch.rand(8, 8, device="cuda")
mask = x > 0.5
names = ["a", "b", "c", "d"]
n = 4
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    name = names[n - 1]
    steps = torch.arange(n, device="cuda")
    filled = torch.full((n,), 1.0, device="cuda")
    clipped = x.clamp(min=a)
    both = torch.clamp(x, a, a + 1)
    added = torch.add(x, x, alpha=n)
    hidden = x.masked_fill(mask, 0.0)
    chosen = x[rows]
    pairs = x[rows, rows]
    x[mask] = 0.0
    x[rows] = chosen
    x[rows, rows] = a
    x[0] = 1.0
    last = x[-1:]
# --- tensors in texts: of containers, and by `%`
import logging

import torch

logger = logging.getLogger(__name__)
a = torch.rand((), device="cuda")
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    text = "%.3f" % a  # cgsan: CG101
    pair = "%s: %s" % ("loss", a)  # cgsan: CG101
    listed = str([a])  # cgsan: CG101
    print({"loss": a})  # cgsan: CG101
    logger.debug("loss %s", a)
    logger.warning("step %d", 3)
    print("%s" % a.shape, a.dtype, [a.device])
# --- a logger that the program tells to be silent
import logging

import torch

logger = logging.getLogger(__name__)
logger.setLevel(logging.CRITICAL)
a = torch.rand((), device="cuda")
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    logger.warning("loss %s", a)
# --- decompositions whose errors the host asks for, and their silent kin
import torch

a = torch.eye(4, device="cuda")
for function in (torch.inverse, torch.linalg.eigh, torch.linalg.lu_factor, torch.linalg.inv_ex):
    function(a)
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    inverse = a.inverse()  # cgsan: CG101
    values, vectors = torch.linalg.eigh(a)  # cgsan: CG101
    factors = torch.linalg.lu_factor(a)  # cgsan: CG101
    checked, info = torch.linalg.inv_ex(a)
    determinant = torch.linalg.det(a)
# --- distributions check what they are given
import torch
from torch.distributions import Categorical, Normal

mean = torch.zeros(4, device="cuda")
deviation = torch.ones(4, device="cuda")
prior = Normal(mean, deviation)
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    policy = Categorical(logits=mean)  # cgsan: CG101
    inside = Normal(mean, deviation)  # cgsan: CG101
    likely = prior.log_prob(mean)  # cgsan: CG101
    drawn = prior.sample()  # cgsan: CG101
    smooth = prior.rsample()
    spread = prior.entropy()
# --- silent: distributions that check nothing
import torch
from torch.distributions import Categorical, Normal

mean = torch.zeros(4, device="cuda")
deviation = torch.ones(4, device="cuda")
prior = Normal(mean, deviation, validate_args=False)
of_host = Normal(0.0, 1.0)
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    policy = Categorical(logits=mean, validate_args=False)
    action = policy.sample()
    likely = policy.log_prob(action) + prior.log_prob(mean)
    smooth = prior.rsample() * of_host.sample()
    noise = torch.normal(mean, 1.0)
# --- silent: all checks are turned off
import torch
from torch.distributions import Distribution, Normal

Distribution.set_default_validate_args(False)
mean = torch.zeros(4, device="cuda")
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    likely = Normal(mean, mean).log_prob(mean)
# --- the elements of a tensor of indices, gone through beside another tensor
import torch

rows = torch.rand(4, 8, device="cuda")
last = torch.randint(0, 8, (4,), device="cuda")
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    ends = [row[i] for row, i in zip(rows, last)]  # cgsan: CG101
    sums = [row.sum() for row, i in zip(rows, last)]
