"""Runs PyTorch's own samples of its operators on the CPU and on the virtual GPU, forwards and backwards, and compares the results.

The first of them run with tensors of a mesh of one rank (`DTensor`) too: what DTensor refuses on the CPU as well is refused, and only
forwards is what it refuses backwards.

Usage: python sweep.py OUT SHARD SHARDS SAMPLES [NAME …]. Writes a line of JSON for each operator and type: how many samples agree, differ,
are named as not computed, are refused, and are not compared, with the first of each kind that is to be looked at.
"""

import json
import sys
import warnings

import torch
import torch.distributed as dist
from torch.distributed.tensor import DTensor, Replicate, init_device_mesh
from torch.testing._internal import common_methods_invocations
from torch.utils._pytree import tree_leaves, tree_map

# Random operators have wrappers that set a seed; without it, two calls show that they are random.
common_methods_invocations.wrapper_set_seed = lambda op, *arguments, **keywords: op(
    *arguments, **keywords
)
op_db = common_methods_invocations.op_db

DTYPES = (
    torch.float32,
    torch.float64,
    torch.float16,
    torch.bfloat16,
    torch.complex64,
    torch.int64,
    torch.int32,
    torch.bool,
)
HALVES = torch.float16, torch.bfloat16
NARROW = *HALVES, torch.complex32
WITH_GRADIENTS = torch.float32, *HALVES
# These run on a mesh too, so many samples of each.
ON_MESH = torch.float32, *HALVES
SAMPLES_ON_MESH = 2
# An operator is random that gives other results for one of these.
SEEDS = range(6, 16)
# Their results are what happened to lie in memory.
UNSET = {
    "empty",
    "empty_like",
    "empty_permuted",
    "empty_strided",
    "new_empty",
    "new_empty_strided",
    "resize_",
    "resize_as_",
}
# Of their results the first is compared: CUDA keeps statistics and workspaces where the CPU keeps none.
WITH_AUXILIARY_RESULTS = {
    "_batch_norm_with_update",
    "_native_batch_norm_legit",
    "native_batch_norm",
    "torch.ops.aten._efficient_attention_forward",
    "torch.ops.aten._flash_attention_forward",
}
# Sums of half precision may round where the CPU's own do not.
TOLERANCES = {
    torch.float16: (5e-3, 5e-3),
    torch.bfloat16: (3e-2, 3e-2),
    torch.complex32: (5e-3, 5e-3),
}


def told():
    """The names of operators that this thread was told of as not computed, since the last call."""
    module = sys.modules["cgsan_agent.values.not_computed"]
    names = {str(it) for it in module._told}
    module._told.clear()
    return names


def on_gpu(value):
    if isinstance(value, torch.Tensor):
        return value.detach().cuda().requires_grad_(value.requires_grad)
    if isinstance(value, torch.device) or (isinstance(value, str) and value == "cpu"):
        return torch.device("cuda")
    return value


def copied(value):
    """The same on the CPU, which an operator may change."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone().requires_grad_(value.requires_grad)
    return value


def as_single(value):
    """The same on the CPU in float32, where the CPU does not have a type of half precision."""
    if isinstance(value, torch.Tensor) and value.dtype in HALVES:
        return value.detach().float().requires_grad_(value.requires_grad)
    return torch.float32 if isinstance(value, torch.dtype) and value in HALVES else copied(value)


def on_mesh(move):
    """The same, with tensors that a mesh of one rank has copies of."""

    def moved(value):
        there = move(value)
        if not isinstance(there, torch.Tensor):
            return there
        mesh = init_device_mesh(there.device.type, (1,))
        whole = DTensor.from_local(there.detach(), mesh, [Replicate()], run_check=False)
        return whole.requires_grad_(there.requires_grad)

    return moved


def whole(tensor):
    """A tensor of a mesh as one of its device."""
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


def results_of(op, sample, move, backward, seed):
    """The results of one sample, and with `backward` the gradients; or the exception."""
    try:
        given, arguments, keywords = tree_map(
            move, (sample.input, tuple(sample.args), dict(sample.kwargs))
        )
        torch.manual_seed(seed)
        results = op(given, *arguments, **keywords)
        found = [
            it for it in tree_leaves(results) if isinstance(it, (torch.Tensor, int, float, bool))
        ]
        if op.name in WITH_AUXILIARY_RESULTS:
            found = found[:1]
        if backward:
            leaves = [
                it
                for it in tree_leaves((given, arguments, keywords))
                if isinstance(it, torch.Tensor) and it.requires_grad
            ]
            sums = [
                whole(it).abs().sum()
                for it in found
                if isinstance(it, torch.Tensor) and it.requires_grad
            ]
            if leaves and sums:
                found += [
                    it
                    for it in torch.autograd.grad(sum(sums), leaves, allow_unused=True)
                    if it is not None
                ]
        return [in_memory(it) if isinstance(it, torch.Tensor) else it for it in found]
    except Exception as error:
        return error


def in_memory(tensor):
    """A tensor of the host's; autograd's zeros have no memory, and crash PyTorch's comparison under a dispatch mode."""
    there = whole(tensor).detach().cpu()
    return torch.zeros(there.shape, dtype=there.dtype) if there._is_zerotensor() else there


def _tolerance(dtype):
    return TOLERANCES.get(dtype, (1e-4, 1e-4))


def difference(mine, theirs):
    """In what two lists of results differ; empty if they agree."""
    if len(mine) != len(theirs):
        return f"{len(mine)} results instead of {len(theirs)}"
    for one, other in zip(mine, theirs, strict=True):
        if getattr(one, "dtype", None) in NARROW:
            other = other.to(one.dtype)
        # Some of the CPU's operators keep statistics of half precision in half precision, a GPU's in single.
        coarsest = max((getattr(it, "dtype", None) for it in (one, other)), key=_tolerance)
        rtol, atol = _tolerance(coarsest)
        try:
            torch.testing.assert_close(
                one, other, rtol=rtol, atol=atol, equal_nan=True, check_dtype=False
            )
        except AssertionError as error:
            return " ".join(str(error).split())[:160]
        except Exception as error:
            return f"cannot be compared: {error}"[:160]
    return ""


def first_line(error):
    return f"{type(error).__name__}: {error}".split("\n", 1)[0][:140]


def is_random(op, sample, wanted, on_cpu, backward, seeds):
    """Whether one of the seeds gives other results."""
    return any(difference(results_of(op, sample, on_cpu, backward, it), wanted) for it in seeds)


def nearer(found, wanted, precise):
    """Of two lists of results the numbers that are nearer to those found: both are right, and one rounds on the way."""

    def near(one, *others):
        rounded, exact = others
        if not all(isinstance(it, torch.Tensor) and it.shape == one.shape for it in others):
            return rounded
        at, rounded, exact = (it.to(torch.float64) for it in (one, rounded, exact))
        return torch.where((at - exact).abs() < (at - rounded).abs(), exact, rounded).to(one.dtype)

    return [
        near(*it) if isinstance(it[0], torch.Tensor) else it[1]
        for it in zip(found, wanted, precise, strict=True)
    ]


def verdict(op, sample, backward, on_cpu, on_gpu, in_single):
    """What came of a sample, and a word on it. With `in_single`, numbers in float32 are right too."""
    wanted = results_of(op, sample, on_cpu, backward, seed=5)
    told()
    found = results_of(op, sample, on_gpu, backward, seed=5)
    named = told()
    if named:
        return "named", ", ".join(sorted(named))
    if isinstance(wanted, Exception):
        where = "" if isinstance(found, Exception) else "the CPU alone refuses it: "
        return "refused", where + first_line(wanted)
    if isinstance(found, Exception):
        return "refused here", first_line(found)
    if op.name in UNSET or is_random(op, sample, wanted, on_cpu, backward, SEEDS[:1]):
        return "not compared", ""
    problem = difference(found, wanted)
    if problem and in_single is not None:
        precise = results_of(op, sample, in_single, backward, seed=5)
        if not isinstance(precise, Exception) and len(precise) == len(found) == len(wanted):
            problem = difference(found, nearer(found, wanted, precise))
    # Few draws may come out the same for two seeds.
    if problem and is_random(op, sample, wanted, on_cpu, backward, SEEDS):
        return "not compared", ""
    return ("differs", problem) if problem else ("agrees", "")


def of(op, dtype, samples, as_dtensors):
    """How often each verdict came, and the first words of each."""
    counts, words = {}, {}
    on_cpu = copied if dtype in op.supported_dtypes("cpu") else as_single
    backward = (
        dtype in WITH_GRADIENTS
        and op.supports_autograd
        and dtype in op.supported_backward_dtypes("cuda")
    )
    if on_cpu is copied and dtype not in op.supported_backward_dtypes("cpu"):
        on_cpu = as_single if dtype in HALVES else copied
    moves = [on_cpu, on_gpu, as_single if on_cpu is copied and dtype in HALVES else None]
    if as_dtensors:
        moves = [it and on_mesh(it) for it in moves]
    given = op.sample_inputs("cpu", dtype, requires_grad=backward)
    for _, sample in zip(range(samples), given, strict=False):
        kind, word = verdict(op, sample, backward, *moves)
        if as_dtensors and backward and kind == "refused":
            kind, word = verdict(op, sample, False, *moves)
        counts[kind] = counts.get(kind, 0) + 1
        if word:
            words.setdefault(kind, word)
    return {"counts": counts, "words": words}


def rows(op, dtype, samples):
    """The lines of an operator and a type."""
    name = str(dtype).removeprefix("torch.")
    kinds = [(name, samples, False)]
    if dtype in ON_MESH:
        kinds.append((f"{name} as DTensor", min(samples, SAMPLES_ON_MESH), True))
    for name, count, as_dtensors in kinds:
        try:
            found = of(op, dtype, count, as_dtensors)
        except Exception as error:
            found = {"counts": {}, "words": {"no sample": first_line(error)}}
        yield {"operator": op.formatted_name, "dtype": name, **found}


def main():
    out, shard, shards, samples, *names = sys.argv[1:]
    warnings.simplefilter("ignore")
    torch.zeros(1, device="cuda")
    dist.init_process_group("cpu:gloo,cuda:nccl", store=dist.HashStore(), rank=0, world_size=1)
    chosen = [op for op in op_db if not names or op.formatted_name in names]
    with open(out, "w", encoding="utf-8") as file:
        for op in chosen[int(shard) :: int(shards)]:
            for dtype in DTYPES:
                device = "cuda" if dtype in HALVES else "cpu"
                if dtype not in op.supported_dtypes(device):
                    continue
                for row in rows(op, dtype, int(samples)):
                    file.write(json.dumps(row) + "\n")
                    file.flush()
    dist.destroy_process_group()


main()
