"""A factor in a tensor on the CPU is copied to the device before the one graph of the step."""

import torch

# What it caches of another program with the same step has the lines of that program.
torch._inductor.config.fx_graph_cache = False


def step(x, factor):
    hidden = torch.relu(x @ x)
    return torch.sigmoid(hidden * factor)


def main():
    compiled = torch.compile(step, mode="reduce-overhead")
    x, factor = torch.ones(8, 8, device="cuda"), torch.tensor(0.5)
    for _ in range(4):
        compiled(x, factor)
    torch.cuda.synchronize()
    graphs = torch._inductor.cudagraph_trees.get_manager(0).new_graph_id().id
    assert graphs == 1, f"{graphs} graphs"


if __name__ == "__main__":
    main()
