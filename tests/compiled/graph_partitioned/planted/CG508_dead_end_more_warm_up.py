"""The step is cut when it is compiled, so that twenty calls replay two graphs each, as the third does."""

import torch

# What it caches of another program with the same step has the lines of that program.
torch._inductor.config.fx_graph_cache = False


def step(x):  # cgsan: CG508
    hidden = torch.relu(x @ x)
    peak = hidden.amax(1, keepdim=True).cpu()
    return torch.sigmoid(hidden * peak.cuda()), peak


def main():
    compiled = torch.compile(step, mode="reduce-overhead")
    x = torch.ones(8, 8, device="cuda")
    for _ in range(20):
        compiled(x)
    graphs = torch._inductor.cudagraph_trees.get_manager(0).new_graph_id().id
    assert graphs == 1, f"{graphs} graphs"


if __name__ == "__main__":
    main()
