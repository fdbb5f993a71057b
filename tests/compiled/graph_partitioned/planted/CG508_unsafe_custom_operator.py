"""A custom operator reads a value on the host and is tagged for it; the step becomes two graphs around it."""

import torch

# What it caches of another program with the same step has the lines of that program.
torch._inductor.config.fx_graph_cache = False


@torch.library.custom_op("example::clip", mutates_args=(), tags=(torch.Tag.cudagraph_unsafe,))
def clip(x: torch.Tensor) -> torch.Tensor:
    return x.clamp(max=x.mean().item())


@clip.register_fake
def _(x):
    return torch.empty_like(x)


def step(x):  # cgsan: CG508
    hidden = torch.relu(x @ x)
    hidden = clip(hidden)  # cgsan: label
    return torch.sigmoid(hidden @ x)


def main():
    compiled = torch.compile(step, mode="reduce-overhead")
    x = torch.ones(8, 8, device="cuda")
    for _ in range(4):
        compiled(x)
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
