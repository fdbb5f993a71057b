"""Regions that a replay gets wrong, each with a twin that it gets right, and regions that are right: what `cgsan.verify` says.

Runs on a real GPU, with the package `cgsan` on PYTHONPATH, as well as under `cgsan run`.
"""

import contextlib
import linecache
import random
import sys
import traceback

import cgsan
import torch
from torch import nn

CASES = []


def case(make):
    """Registers a case: a function that returns a region, its inputs, and options of `verify`."""
    CASES.append(make)
    return make


def wrong(id, replay=None):
    """What a case is expected to be found wrong with; the line is marked `# here`."""

    def mark(make):
        make.wanted = id
        make.replay = replay
        return make

    return mark


def x(value=1.0):
    return torch.arange(8.0, device="cuda").add_(value)


# A branch


@case
@wrong("CG201", replay=2)
def branch():
    class Step:
        number = 0

        def __call__(self, x):
            self.number += 1
            y = x + 3
            if self.number % 2:
                y = y.clamp(max=4)  # here
            return y * 2

    return Step(), [x()]


@case
def branch_on_the_device():
    class Step:
        def __init__(self):
            self.number = torch.zeros((), device="cuda")

        def __call__(self, x):
            self.number += 1
            y = x + 3
            return torch.where(self.number % 2 == 0, y.clamp(max=4), y) * 2

    return Step(), [x()]


@case
@wrong("CG201", replay=2)
def loop():
    class Solver:
        steps = 1

        def solve(self, x):
            for _ in range(self.steps):
                x = x * 0.5  # here
            self.steps += 1
            return x

    return Solver().solve, [x()]


# Another computation while capturing


@case
@wrong("CG202", replay=1)
def asks_for_the_capture():
    def normalize(x):
        if torch.cuda.is_current_stream_capturing():
            return x / 10
        return x / x.max().item()  # here

    return normalize, [x()]


@case
@wrong("CG202", replay=1)
def guesses_while_capturing():
    def normalize(x):
        scale = 8.0 if torch.cuda.is_current_stream_capturing() else 2.0
        return x / scale  # here

    return normalize, [x()]


@case
def asks_for_the_capture_to_print():
    def scale(x):
        if not torch.cuda.is_current_stream_capturing():
            x.sum().item()
        return x / 8

    return scale, [x()]


# A name that is bound anew


@case
@wrong("CG203", replay=2)
def hidden_state_bound_anew():
    class Recurrent:
        def __init__(self):
            self.hidden = torch.zeros(8, device="cuda")

        def step(self, x):
            self.hidden = torch.tanh(self.hidden * 0.5 + x * 0.1)  # here
            return self.hidden * 2

    return Recurrent().step, [x()]


@case
def hidden_state_written():
    class Recurrent:
        def __init__(self):
            self.hidden = torch.zeros(8, device="cuda")

        def step(self, x):
            self.hidden.copy_(torch.tanh(self.hidden + x))
            return self.hidden * 2

    return Recurrent().step, [x()]


@case
@wrong("CG203", replay=2)
def global_bound_anew():
    global running
    running = torch.zeros(8, device="cuda")

    def step(x):
        global running
        running = running * 0.9 + x  # here
        return running.sum()

    return step, [x()]


# A number


@case
@wrong("CG205", replay=2)
def number():
    class Sampler(nn.Module):
        def __init__(self):
            super().__init__()
            self.temperature = 1.0

        def forward(self, logits):
            self.temperature *= 2
            return logits / self.temperature  # here

    return Sampler(), [x()]


@case
def number_on_the_device():
    class Sampler(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("temperature", torch.ones((), device="cuda"))

        def forward(self, logits):
            self.temperature *= 2
            return logits / self.temperature

    return Sampler(), [x()]


@case
def number_that_nothing_reads():
    class Meter(nn.Module):
        seen = 0

        def forward(self, x):
            self.seen += len(x)
            return x * 2

    return Meter(), [x()]


@case
@wrong("CG205", replay=2)
def number_of_python_random():
    def jitter(x):
        return x + random.random()  # here

    return jitter, [x()]


@case
@wrong("CG205", replay=2)
def bias_correction():
    weight, average = torch.zeros(8, device="cuda"), torch.zeros(8, device="cuda")
    steps = 0

    def step(gradient):
        nonlocal steps
        steps += 1
        average.mul_(0.9).add_(gradient, alpha=0.1)
        weight.sub_(average / (1 - 0.9**steps))  # here

    return step, [x()]


# Sizes and plans


@case
@wrong("CG207", replay=2)
def growing_context():
    class Cache:
        def __init__(self):
            self.keys = torch.ones(16, 4, device="cuda")
            self.used = 1

        def step(self, x):
            self.keys[0] += x[:4]
            self.used += 1
            return self.keys[: self.used].sum(dim=0)  # here

    return Cache().step, [x()]


@case
@wrong("CG220", replay=2)
def plan():
    class Pooling:
        turn = 0

        def run(self, tokens):
            self.turn += 1
            parts = tokens.split([self.turn, len(tokens) - self.turn])  # here
            return torch.stack([part.sum() for part in parts])

    return Pooling().run, [x()]


# Work that is not in the graph


@case
@wrong("CG206", replay=1)
def other_stream():
    total = torch.zeros(8, device="cuda")

    def step(x):
        with torch.cuda.stream(torch.cuda.default_stream()):
            total.add_(x)  # here
        return x * 2

    return step, [x()]


@case
def forked_stream():
    total = torch.zeros(8, device="cuda")
    side = torch.cuda.Stream()

    def step(x):
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            total.add_(x)
        torch.cuda.current_stream().wait_stream(side)
        return x * 2

    return step, [x()]


@case
@wrong("CG212", replay=1)
def host_work():
    staging = torch.zeros(8, pin_memory=True)

    def step(x):
        staging.add_(1)  # here
        return x + staging.to("cuda", non_blocking=True)

    return step, [x()]


# Gradients


@case
@wrong("CG203")
def gradient_accumulated_by_name():
    weight = torch.ones(8, device="cuda")
    total = None

    def step(x):
        nonlocal total
        gradient = x * weight
        total = gradient if total is None else total + gradient  # here
        return total * 1

    return step, [x()]


# Regions that are right


@case
def dropout():
    return nn.Sequential(nn.Linear(8, 64), nn.Dropout(0.5), nn.Linear(64, 8)).cuda(), [x()]


@case
def random_numbers():
    def noise(x):
        return x + torch.randn_like(x) + torch.rand(8, device="cuda")

    return noise, [x()]


@case
def batch_norm():
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU()).cuda()
    return model, [torch.randn(4, 3, 8, 8, device="cuda")]


@case
def training_step():
    model = nn.Sequential(nn.Linear(8, 32), nn.GELU(), nn.Linear(32, 1)).cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2, capturable=True)

    def step(x, y):
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    return step, [torch.randn(16, 8, device="cuda"), torch.randn(16, 1, device="cuda")]


@case
@wrong("CG205", replay=2)
def learning_rate_in_the_step():
    model = nn.Linear(8, 1).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2, foreach=False)

    def step(x, y):
        optimizer.zero_grad(set_to_none=False)
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.param_groups[0]["lr"] *= 0.5
        optimizer.step()  # here

    return step, [torch.randn(16, 8, device="cuda"), torch.randn(16, 1, device="cuda")]


@case
def mixed_precision():
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    scaler = torch.amp.GradScaler("cuda")

    def step(x, y):
        optimizer.zero_grad(set_to_none=False)
        with torch.autocast("cuda", dtype=torch.float16):
            loss = nn.functional.mse_loss(model(x), y)
        scaler.scale(loss).backward()
        return loss

    return step, [torch.randn(16, 8, device="cuda"), torch.randn(16, 1, device="cuda")]


@case
def state_in_place():
    cache = torch.zeros(16, 8, device="cuda")
    position = torch.zeros(1, dtype=torch.long, device="cuda")

    def step(x):
        cache.index_copy_(0, position, x[None])
        position.add_(1)
        return cache.sum(dim=0)

    return step, [x()]


@case
def state_given_as_input():
    def step(x, cache, position):
        cache.index_copy_(0, position, x[None])
        position.add_(1)
        return cache.sum(dim=0)

    cache = torch.zeros(16, 8, device="cuda")
    return step, [x(), cache, torch.zeros(1, dtype=torch.long, device="cuda")]


@case
def atomics():
    index = torch.randint(0, 16, (4096,), device="cuda")
    values = torch.randn(4096, device="cuda")

    def step(x):
        return torch.zeros(16, device="cuda").index_add_(0, index, values * x[0])

    return step, [x()]


@case
def attention():
    layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True).cuda()
    return layer, [torch.randn(2, 5, 16, device="cuda")]


@case
def embedding():
    model = nn.Sequential(nn.Embedding(32, 8), nn.LayerNorm(8), nn.Linear(8, 32)).cuda()

    def step(tokens):
        return {"logits": model(tokens), "loss": model(tokens).square().mean()}

    return step, [torch.randint(0, 32, (2, 6), device="cuda")]


@case
def outputs_kept_in_a_list():
    kept = []

    def step(x):
        y = x * 2
        kept.append(y.sum())
        return y

    return step, [x()]


@case
def buffer_made_at_the_first_call():
    class Model:
        buffer = None

        def step(self, x):
            if self.buffer is None:
                self.buffer = torch.zeros_like(x)
            self.buffer.add_(x)
            return self.buffer * 2

    return Model().step, [x()]


@case
def inputs_in_turn():
    def step(lengths):
        return torch.arange(8, device="cuda")[None] < lengths[:, None]

    first, second = (torch.tensor(it, device="cuda") for it in ([1, 2], [7, 3]))
    return step, [first], {"also": [(second,)]}


@case
def in_inference_mode():
    model = nn.Sequential(nn.Linear(8, 32), nn.LayerNorm(32), nn.Linear(32, 8)).cuda().eval()
    return model, [x()], {"within": torch.inference_mode}


@case
def under_autocast():
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 8)).cuda()
    return model, [x()], {"within": lambda: torch.autocast("cuda", dtype=torch.bfloat16)}


@case
def compiled():
    @torch.compile
    def step(x, y):
        return (x * y).sin().sum(dim=-1)

    return step, [torch.randn(4, 8, device="cuda"), torch.randn(4, 8, device="cuda")]


def marked_line(make):
    """The line of a case that is marked."""
    lines = linecache.getlines(__file__)
    first = make.__code__.co_firstlineno
    for number in range(first, len(lines) + 1):
        if lines[number - 1].rstrip().endswith("# here"):
            return number
        if number > first and lines[number - 1].startswith("@case"):
            return None
    return None


def problems_of(make):
    torch.manual_seed(0)
    random.seed(0)
    function, inputs, *options = make()
    options = options[0] if options else {}
    kept = [it.clone() for it in inputs]
    with options.pop("within", contextlib.nullcontext)():
        outcome = cgsan.verify(function, *inputs, check=False, **options)
    if not all(map(torch.equal, inputs, kept)):
        yield "the inputs are not as they were"
    wanted = getattr(make, "wanted", None)
    if wanted is None:
        if not outcome.ok:
            yield f"nothing is wrong with it, and yet:\n{outcome}"
        return
    if outcome.result != "differs":
        yield f"{wanted} is not seen: {outcome}"
        return
    if make.replay not in (None, outcome.replay):
        yield f"replay {outcome.replay} differs, not {make.replay}:\n{outcome}"
    first = outcome.first
    if first is None or first.cause is None or first.cause.id != wanted:
        yield f"no cause, or another than {wanted}:\n{outcome}"
    elif first.place is None or first.place.line != marked_line(make):
        yield f"another line than {marked_line(make)}:\n{outcome}"


def main():
    names = sys.argv[1:]
    failed = 0
    for make in CASES:
        if names and make.__name__ not in names:
            continue
        try:
            problems = list(problems_of(make))
        except Exception:
            problems = [traceback.format_exc()]
        failed += bool(problems)
        for problem in problems:
            print(f"--- {make.__name__}: {problem}")
    print(f"{len(CASES)} cases, {failed} failed")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
