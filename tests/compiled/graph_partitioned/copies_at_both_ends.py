"""The step begins with a copy to the device and ends with one back: both stay outside of its one graph."""

import torch

# What it caches of another program with the same step has the lines of that program.
torch._inductor.config.fx_graph_cache = False


def step(batch, weight):
    x = batch.to("cuda")
    hidden = torch.relu(x @ weight)
    return torch.sigmoid(hidden).sum(1).to("cpu")


def main():
    compiled = torch.compile(step, mode="reduce-overhead")
    batch, weight = torch.ones(8, 8), torch.ones(8, 8, device="cuda")
    for _ in range(4):
        compiled(batch, weight)
    torch.cuda.synchronize()
    graphs = torch._inductor.cudagraph_trees.get_manager(0).new_graph_id().id
    assert graphs == 1, f"{graphs} graphs"


if __name__ == "__main__":
    main()
