"""The scale is computed where the activations are, and the step is one graph."""

import torch

# What it caches of another program with the same step has the lines of that program.
torch._inductor.config.fx_graph_cache = False


def step(x):
    hidden = torch.relu(x @ x)
    scale = torch.special.entr(hidden.amax(1)) + 1
    return torch.sigmoid(hidden * scale)


def main():
    compiled = torch.compile(step, mode="reduce-overhead")
    x = torch.ones(8, 8, device="cuda")
    for _ in range(4):
        compiled(x)
    torch.cuda.synchronize()
    graphs = torch._inductor.cudagraph_trees.get_manager(0).new_graph_id().id
    assert graphs == 1, f"{graphs} graphs"


if __name__ == "__main__":
    main()
