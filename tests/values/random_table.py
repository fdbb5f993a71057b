"""Random numbers of a GPU: a table of distributions, types and sizes, eagerly and at replays.

`random_table.py record` writes what this GPU draws to `recorded/random.json`: a digest of all bytes, and some elements. Without an argument,
cases of few elements are drawn again, with `all` every case: it says how many are equal, and fails where one differs.
"""

import hashlib
import json
import math
import pathlib
import sys

import torch
from torch import nn

RECORDED = pathlib.Path(__file__).with_name("recorded") / "random.json"
SEED = 20_2611
# One element; less than one thread's four numbers; one block; no multiple of four; more than all threads draw at once.
SIZES = 1, 3, 1000, 4097, 300_002, 2_200_001
FEW = 4097
FLOATS = torch.float32, torch.float64, torch.float16, torch.bfloat16
INTEGERS = torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64
# Elements that are kept of each result: the first, the last, and some between.
KEPT = 24
# The host reads whether the deviations are negative.
NOT_CAPTURED = "normal of tensors"
# Units in the last place, of one at least, within which numbers count as the GPU's: logarithms, sines and tangents are another library's.
UNITS = 16
UNITS_OF_TANGENT = 32


def filled(change, dtype):
    return lambda size: change(torch.empty(size, dtype=dtype, device="cuda"))


def real_distributions(dtype):
    yield "uniform_", filled(lambda it: it.uniform_(-3, 5), dtype)
    yield "normal_", filled(lambda it: it.normal_(1, 2), dtype)
    yield "log_normal_", filled(lambda it: it.log_normal_(0, 0.5), dtype)
    yield "exponential_", filled(lambda it: it.exponential_(1.5), dtype)
    yield "geometric_", filled(lambda it: it.geometric_(0.3), dtype)
    yield "cauchy_", filled(lambda it: it.cauchy_(0, 2), dtype)
    yield "bernoulli_", filled(lambda it: it.bernoulli_(0.3), dtype)
    yield "random_", filled(lambda it: it.random_(), dtype)
    yield "rand", lambda size: torch.rand(size, dtype=dtype, device="cuda")
    yield "randn", lambda size: torch.randn(size, dtype=dtype, device="cuda")
    yield (
        "bernoulli of each",
        lambda size: torch.linspace(0, 1, size, device="cuda").to(dtype).bernoulli(),
    )
    yield (
        "dropout",
        lambda size: nn.functional.dropout(torch.ones(size, dtype=dtype, device="cuda"), 0.4),
    )
    yield (
        "rrelu",
        lambda size: nn.functional.rrelu(
            -torch.ones(size, dtype=dtype, device="cuda"), 0.1, 0.5, True
        ),
    )


def integer_distributions(dtype):
    yield "random_", filled(lambda it: it.random_(), dtype)
    yield "random_ from", filled(lambda it: it.random_(3, 100), dtype)
    yield "randint", lambda size: torch.randint(101, (size,), dtype=dtype, device="cuda")
    yield (
        "randperm",
        lambda size: torch.randperm(min(size, torch.iinfo(dtype).max), dtype=dtype, device="cuda"),
    )


def other_distributions():
    def weights(size):
        return torch.linspace(0.1, 1, min(size, 1000), device="cuda").repeat(2, 1)

    def rates(size):
        return torch.linspace(0.1, 20, size, device="cuda")

    yield "randint wide", lambda size: torch.randint(-7, 1 << 40, (size,), device="cuda")
    yield "multinomial", lambda size: torch.multinomial(weights(size), min(size, 3))
    yield (
        "multinomial again",
        lambda size: torch.multinomial(weights(size), min(size, 50), replacement=True),
    )
    yield "poisson", lambda size: torch.poisson(rates(size))
    yield (
        "binomial",
        lambda size: torch.binomial(rates(size).round(), torch.full((size,), 0.4, device="cuda")),
    )
    yield "gamma", lambda size: torch._standard_gamma(rates(size))
    yield "dirichlet", lambda size: torch._sample_dirichlet(rates(size).reshape(1, -1))
    yield "normal of tensors", lambda size: torch.normal(rates(size), rates(size))
    yield (
        "turned normal",
        lambda size: torch.empty(7, max(size // 7, 1), device="cuda").t().normal_(),
    )
    yield "every second", lambda size: torch.zeros(2 * size, device="cuda")[::2].uniform_()


def cases():
    """By name, what draws; the sizes are those that its type can hold."""
    for size in SIZES:
        for dtype in (*FLOATS, *INTEGERS):
            kind = real_distributions if dtype.is_floating_point else integer_distributions
            for name, draw in kind(dtype):
                yield f"{name} {str(dtype).removeprefix('torch.')} {size}", draw, size
        for name, draw in other_distributions():
            yield f"{name} {size}", draw, size


def attention_cases():
    """Dropout where attention and recurrent networks do it themselves."""
    from torch.nn.attention import SDPBackend, sdpa_kernel

    def attention(backend, dtype):
        query = torch.ones(2, 4, 64, 32, dtype=dtype, device="cuda")
        with sdpa_kernel(backend):
            value = torch.eye(64, 32, device="cuda").to(dtype).expand(2, 4, 64, 32)
            return nn.functional.scaled_dot_product_attention(query, query, value, dropout_p=0.3)

    yield "math attention", lambda: attention(SDPBackend.MATH, torch.float32)
    yield "efficient attention", lambda: attention(SDPBackend.EFFICIENT_ATTENTION, torch.float32)
    yield "flash attention", lambda: attention(SDPBackend.FLASH_ATTENTION, torch.float16)


def drawn(name, draw):
    """What a second call draws from the seed, where it leaves the generator, and whether replays draw the same as calls."""
    torch.manual_seed(SEED)
    eager = [draw(), draw()]
    offset = torch.cuda.default_generators[0].get_offset()
    if name.startswith(NOT_CAPTURED):
        return eager[1], offset, None
    torch.manual_seed(SEED)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        captured = draw()
    replayed = []
    for _ in range(2):
        graph.replay()
        replayed.append(captured.clone())
    same = all(torch.equal(mine, other) for mine, other in zip(eager, replayed, strict=True))
    return eager[1], offset, same


def places(count):
    return sorted({round(it * (count - 1) / (KEPT - 1)) for it in range(KEPT)})


def described(result, offset, same):
    flat = torch.cat([result.detach().cpu().reshape(-1)])
    raw = flat.view(torch.uint8).numpy().tobytes()
    kept = [flat[it].item() for it in places(flat.numel())]
    return {
        "digest": hashlib.sha256(raw).hexdigest()[:16],
        "kept": [it if isinstance(it, int) else float(it).hex() for it in kept],
        "offset": offset,
        "replays_same": same,
    }


def table(most):
    everything = [
        (name, lambda draw=draw, size=size: draw(size))
        for name, draw, size in cases()
        if size <= most
    ]
    return {name: described(*drawn(name, draw)) for name, draw in [*everything, *attention_cases()]}


def units_apart(mine, theirs, name):
    """How many steps of its type lie between two numbers; steps below one count as those at one."""
    if isinstance(mine, int):
        return 0 if mine == theirs else math.inf
    mine, theirs = float.fromhex(mine), float.fromhex(theirs)
    if mine == theirs:
        return 0
    dtypes = {str(it).removeprefix("torch."): it for it in FLOATS}
    dtype = next((dtypes[word] for word in name.split() if word in dtypes), torch.float32)
    return abs(mine - theirs) / (torch.finfo(dtype).eps * max(abs(mine), abs(theirs), 1))


def verdict(name, mine, theirs):
    """How near two entries are: `equal`, `near`, or what is wrong."""
    if mine["offset"] != theirs["offset"]:
        return f"leaves the offset at {mine['offset']} instead of {theirs['offset']}"
    if mine["digest"] == theirs["digest"] and mine["replays_same"] == theirs["replays_same"]:
        return "equal"
    if mine["replays_same"] != theirs["replays_same"]:
        return "replays draw other numbers than calls"
    apart = max(map(units_apart, mine["kept"], theirs["kept"], [name] * KEPT))
    allowed = UNITS_OF_TANGENT if name.startswith("cauchy_") else UNITS
    return "near" if apart <= allowed else f"{apart:.3g} units apart"


def compare(most):
    recorded = json.loads(RECORDED.read_text())["table"]
    verdicts = {name: verdict(name, mine, recorded[name]) for name, mine in table(most).items()}
    good = {it: list(verdicts.values()).count(it) for it in ("equal", "near")}
    print(", ".join(f"{count} {it}" for it, count in good.items()), "of", len(verdicts))
    problems = [f"{name}: {it}" for name, it in verdicts.items() if it not in good]
    sys.exit("\n".join(problems) or None)


def main():
    everything = max(SIZES)
    if sys.argv[1:] == ["record"]:
        of = {"gpu": torch.cuda.get_device_name(), "torch": torch.__version__}
        RECORDED.write_text(json.dumps({**of, "table": table(everything)}, indent=0) + "\n")
    else:
        compare(everything if sys.argv[1:] == ["all"] else FEW)


if __name__ == "__main__":
    main()
