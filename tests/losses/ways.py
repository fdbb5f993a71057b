"""What the programs share: the device and the way they are asked for, and steps that run by themselves or in a graph."""

import sys

import torch

DEVICE, WAY = sys.argv[1:3]
IS_CAPTURED = WAY == "captured"
WARM_UP = 3

torch.manual_seed(0)
torch.set_num_threads(1)


def say(*values):
    """One line for the runner: whole numbers are compared as such, others with a tolerance."""
    numbers = [it for value in values for it in _numbers(value)]
    print(*(it if isinstance(it, int) else f"{it:.7g}" for it in numbers), flush=True)


def _numbers(value):
    if isinstance(value, torch.Tensor):
        return value.detach().flatten().tolist()
    return value if isinstance(value, (list, tuple)) else [value]


def brief(values, firsts=4):
    """Numbers that all elements count for: the norm, the mean of the absolutes, and the first few."""
    flat = values.detach().float().flatten()
    return [flat.norm().item(), flat.abs().mean().item(), *flat[:firsts].tolist()]


def adamw(parameters, lr=1e-2):
    # With less added, steps along gradients of next to nothing would hang on how sums are rounded.
    return torch.optim.AdamW(parameters, lr=lr, eps=1e-5, capturable=DEVICE == "cuda")


def repeated(step, batches):
    """The results of `step` for each batch, after a warm-up with the first: called, or captured once and replayed."""
    given = [it.to(DEVICE, copy=True) for it in batches[0]]

    def fill(batch):
        for into, values in zip(given, batch, strict=True):
            into.copy_(values)

    if not IS_CAPTURED:
        for batch in [batches[0]] * WARM_UP + batches:
            fill(batch)
            yield step(*given)
        return
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(WARM_UP):
            yield step(*given)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    # A thread of PyTorch's watches collectives meanwhile.
    mode = "thread_local" if torch.distributed.is_initialized() else "global"
    with torch.cuda.graph(graph, capture_error_mode=mode):
        results = step(*given)
    for batch in batches:
        fill(batch)
        graph.replay()
        yield results


def train(model, optimizer, batches, loss_of):
    """Says the loss and the norm of the gradients of each step."""

    def step(*given):
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(model, *given)
        loss.backward()
        gradients = [it.grad for it in model.parameters() if it.grad is not None]
        norm = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(gradients)))
        optimizer.step()
        return loss, norm

    for loss, norm in repeated(step, batches):
        say(loss, norm)


def infer(function, batches, firsts=4):
    """Says in brief what `function` makes of each batch."""
    with torch.no_grad():
        for results in repeated(function, batches):
            say(brief(results, firsts))
