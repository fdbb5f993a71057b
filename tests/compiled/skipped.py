"""A compiled function changes its input, so `torch.compile` captures no graph of it and says so."""

import torch

# What it caches of another program with the same step has the lines of that program.
torch._inductor.config.fx_graph_cache = False


def step(x, state):
    state.add_(1)  # skipped
    return x * state


def main():
    compiled = torch.compile(step, mode="reduce-overhead")
    x = torch.ones(1000, device="cuda")
    for _ in range(3):
        compiled(x, torch.ones(1000, device="cuda"))
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
