"""Results of a compiled function are kept until the end; PyTorch refuses to use them, and the program catches that and goes on."""

import torch


@torch.compile(mode="reduce-overhead")
def score(x):
    return torch.sin(x) + 1


def evaluate(batches):
    kept = []
    for batch in batches:
        torch.compiler.cudagraph_mark_step_begin()
        kept.append(score(batch))  # cgsan: label
    try:
        return [it.sum().item() for it in kept]  # cgsan: CG211
    except RuntimeError as error:
        return str(error)[:24]


with torch.no_grad():
    print(evaluate([torch.randn(4, device="cuda") for _ in range(3)]))
