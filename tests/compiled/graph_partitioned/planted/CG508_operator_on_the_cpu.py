"""A scale is computed on the CPU in the middle of the step, which becomes two graphs around that."""

import torch

# What it caches of another program with the same step has the lines of that program.
torch._inductor.config.fx_graph_cache = False


def step(x):  # cgsan: CG508
    hidden = torch.relu(x @ x)
    peak = hidden.amax(1).cpu()  # cgsan: label
    scale = torch.special.entr(peak) + 1  # cgsan: label
    return torch.sigmoid(hidden * scale.cuda())  # cgsan: label


def main():
    compiled = torch.compile(step, mode="reduce-overhead")
    x = torch.ones(8, 8, device="cuda")
    for _ in range(4):
        compiled(x)
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
