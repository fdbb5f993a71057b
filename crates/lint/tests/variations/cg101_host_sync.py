# --- a metric's method turns the loss into a number, two calls below the capture
import torch as T
from torch import nn


class Mean:
    def __init__(self):
        self.values = []

    def update(self, value):
        self.values.append(float(value))  # cgsan: CG101


class Trainer:
    def __init__(self, model):
        self.model = model
        self.loss_metric = Mean()

    def step(self, batch):
        loss = self.model(batch).square().mean()
        self.loss_metric.update(loss)
        return loss


trainer = Trainer(nn.Linear(8, 8).cuda())
batch = T.randn(4, 8, device="cuda")
trainer.step(batch)
g = T.cuda.CUDAGraph()
with T.no_grad(), T.cuda.graph(g):
    trainer.step(batch)
# --- a capture by hand, and a stopping rule that is a lambda
import torch
from torch import cuda

finished = lambda probabilities: bool((probabilities > 0.99).all())  # cgsan: CG101
probabilities = torch.rand(16, device="cuda")
graph = cuda.CUDAGraph()
side = cuda.Stream()
with cuda.stream(side):
    graph.capture_begin()
    probabilities.mul_(1.1)
    if finished(probabilities):
        probabilities.clamp_(max=1)
    graph.capture_end()
# --- a subclass's check, called by the forward of its base
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = nn.Linear(width, width)

    def forward(self, x):
        x = self.inner(x)
        self.check(x)
        return x

    def check(self, x):
        pass


class CheckedBlock(Block):
    def check(self, x):
        assert torch.isfinite(x).all(), "activations overflow"  # cgsan: CG101


block = CheckedBlock(8).cuda().eval()
x = torch.zeros(2, 8, device="cuda")
block(x)
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):
    y = block(x)
# --- decoding that goes on while a sequence is unfinished
import torch


def decode(tokens, logits, eos):
    done = torch.zeros(4, dtype=torch.bool, device="cuda")
    while not done.all():  # cgsan: CG101
        tokens = logits.argmax(-1)
        done |= tokens == eos
    return tokens


logits = torch.zeros(4, 32, device=torch.device("cuda:0"))
start = torch.zeros(4, dtype=torch.long, device=logits.device)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(cuda_graph=graph, capture_error_mode="relaxed"):
    out = decode(start, logits, eos=0)
# --- a partial of a function whose result has no fixed size
import functools

import torch


def pick(scores, *, threshold):
    return torch.nonzero(scores > threshold).squeeze(-1)  # cgsan: CG101


keep = functools.partial(pick, threshold=0.5)
scores = torch.rand(100).to("cuda")
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    indices = keep(scores)
# --- a generator of chunks, whose sums are added on the host
import torch


def chunks(values, size):
    for start in range(0, 64, size):
        yield values[start : start + size]


values = torch.ones(64, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    total = 0
    for chunk in chunks(values, 16):
        total += chunk.sum().item()  # cgsan: CG101
# --- an early exit under try, in a graphed callable made by a decorator with a name of its own
import torch
from torch.cuda import make_graphed_callables as graphed


class Gate(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(8))

    def forward(self, x):
        try:
            return x * self.scale
        finally:
            if (x < 0).any():  # cgsan: CG101
                torch._assert_async(x.min() > -10)


gate = graphed(Gate().to("cuda"), (torch.ones(8, device="cuda", requires_grad=True),))
# --- waiting for a side stream before its result is used
import torch

side = torch.cuda.Stream()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        y = x * 2
    side.synchronize()  # cgsan: CG101
    torch.cuda.current_stream().wait_stream(side)
    z = y + 1
# --- a mask that selects rows, in a closure over the model's state
import torch


def make_step(state):
    def step(x):
        alive = state["alive"]
        return x[alive]  # cgsan: CG101

    return step


state = {"alive": torch.ones(4, dtype=torch.bool, device="cuda")}
step = make_step(state)
x = torch.randn(4, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    rows = step(x)
# --- silent: the number is read in the warm-up and after the replay
import torch

side = torch.cuda.Stream()
x = torch.ones(8, device="cuda")


def step():
    return (x * 2).sum()


with torch.cuda.stream(side):
    for _ in range(3):
        print("warm-up", step().item())
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, stream=side):
    loss = step()
for _ in range(3):
    graph.replay()
    print(loss.item(), float(loss), loss.tolist())
torch.cuda.synchronize()
# --- silent: the tensor that is read lives on the host
import torch

lengths = torch.tensor([3, 5, 2])
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    longest = int(lengths.max())
    if lengths.sum() > 4:
        y = x[:longest] * lengths[0].item()
    print("captured", lengths, longest)
# --- silent: masks that keep the size, and conditions on what the host knows
import torch

x = torch.randn(4, 8, device="cuda")
mask = x > 0
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = torch.where(mask, x, 0.0)
    y.masked_fill_(mask, 1.0)
    y[mask] = 0.0
    if x.shape[0] > 2 and x.dtype == torch.float32 and x.is_cuda:
        y = y + 1
    if y.numel():
        y = y * 2
    assert y.size(0) == 4
    print(y.shape, y.device, len(y))
# --- silent: the function that waits is defined, and never called where it would be captured
import torch


def report(x):
    print(f"mean {x.mean().item():.3f}")


x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
    callbacks = [report]
graph.replay()
for callback in callbacks:
    callback(y)
# --- silent: it reads only where nothing is captured
import torch


def norm(x):
    value = x.norm()
    if not torch.cuda.is_current_stream_capturing():
        print("norm", value.item())
    return value


x = torch.ones(8, device="cuda")
norm(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    norm(x)
# --- silent: in mode `relaxed` a stream that does not capture may be read and awaited
import torch

side = torch.cuda.Stream()
x = torch.ones(8, device="cuda")
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, capture_error_mode="relaxed"):
    y = x + 1
    with torch.cuda.stream(side):
        total = x.sum().item()
    side.synchronize()
# --- arguments are checked before: most calls come by
import torch


def largest(values, limit):
    if len(limit) > 8:
        raise ValueError("too many")
    for bound in limit:
        if bound < 0:
            raise ValueError("below zero")
    return values.max().item()  # cgsan: CG101


def run(limit):
    values = torch.rand(8, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        largest(values, limit)
    graph.replay()


# --- the capture itself begins behind a return, and in a function that may return before
import torch


class Recorder:
    def __init__(self, graph):
        self.graph = graph

    def begin(self, wanted):
        if not wanted:
            return
        self.graph.capture_begin()


def run(wanted, values, recorder: Recorder):
    if wanted is None:
        return None
    values = torch.rand(8, device="cuda")
    stream = torch.cuda.Stream()
    recorder = Recorder(torch.cuda.CUDAGraph())
    with torch.cuda.stream(stream):
        recorder.begin(wanted)
        total = values.sum().item()  # cgsan: CG101
        recorder.graph.capture_end()
    return total


# --- silent: read only where an unknown condition has not returned before
import torch


def largest(values, plan):
    if plan.keeps_on_device:
        return values.max()
    return values.max().item()


def run(plan):
    values = torch.rand(8, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        largest(values, plan)
    graph.replay()


# --- silent: the rest of a loop's turn that an unknown condition may leave
import torch


def log(values, plans):
    for plan in plans:
        if plan.is_quiet:
            continue
        print(values.max().item())


def run(plans):
    values = torch.rand(8, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        log(values, plans)
    graph.replay()


# --- silent: the function has returned out of a loop
import torch


def first(values, plans):
    for plan in plans:
        match plan.kind:
            case "device":
                return values.max()
    return values.max().item()


def run(plans):
    values = torch.rand(8, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        first(values, plans)
    graph.replay()


# --- the norm of the gradients is read
import torch

net = torch.nn.Linear(8, 1).cuda()
x = torch.randn(4, 8, device="cuda")
side = torch.cuda.Stream()
with torch.cuda.stream(side):
    net(x).sum().backward()
torch.cuda.synchronize()
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    norm = torch.nn.utils.clip_grad_norm_(list(net.parameters()), 1.0)
    print(norm.item())  # cgsan: CG101
# --- silent: the only class of which there is an object has a method of its own
import torch


class Runner:
    def __init__(self, width):
        self.static = torch.zeros(4, width, device="cuda")
        self.prepare()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.out = self.run(self.static)

    def prepare(self):
        pass

    def run(self, x):
        return x[:, : int(x.sum())]


class Top(Runner):
    def prepare(self):
        self.limit = 0.9

    def run(self, x):
        return torch.where(x.softmax(-1).cumsum(-1) <= self.limit, x, -1.0)


top = Top(32)
