"""How many rows go on depends on the data, and the step becomes two graphs around the choice."""

import torch
import torch._dynamo

# What it caches of another program with the same step has the lines of that program.
torch._inductor.config.fx_graph_cache = False
torch._dynamo.config.capture_dynamic_output_shape_ops = True


def step(x, table):  # cgsan: CG508
    score = torch.relu(x).sum(1)
    rows = torch.nonzero(score)  # cgsan: label
    return torch.sigmoid(table[rows[:, 0]]).sum(0)


def main():
    compiled = torch.compile(step, mode="reduce-overhead")
    x, table = torch.ones(8, 8, device="cuda"), torch.ones(8, 8, device="cuda")
    for _ in range(4):
        compiled(x, table)
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
