"""What needs the CPU comes behind the compiled step, which is one graph."""

import torch

# What it caches of another program with the same step has the lines of that program.
torch._inductor.config.fx_graph_cache = False


def step(x):
    hidden = torch.relu(x @ x)
    return torch.sigmoid(hidden), hidden.amax()


def main():
    compiled = torch.compile(step, mode="reduce-overhead")
    x = torch.ones(8, 8, device="cuda")
    peaks = []
    for _ in range(4):
        _, peak = compiled(x)
        peaks.append(torch.special.entr(peak.cpu()))
    assert len(peaks) == 4
    graphs = torch._inductor.cudagraph_trees.get_manager(0).new_graph_id().id
    assert graphs == 1, f"{graphs} graphs"


if __name__ == "__main__":
    main()
