"""A compiled function is given other parameters in each step, so that `torch.compile` captures it again each time."""

import torch

# What it caches of another program with the same step has the lines of that program.
torch._inductor.config.fx_graph_cache = False


class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(1000, device="cuda"))

    def forward(self, x):
        return x * self.weight  # recorded_again


def main():
    model = Scaled()
    compiled = torch.compile(model, mode="reduce-overhead")
    x = torch.ones(1000, device="cuda")
    kept = []
    with torch.no_grad():
        for _ in range(7):
            compiled(x)
            kept.append(model.weight.data)
            model.weight.data = torch.ones(1000, device="cuda")
    torch.cuda.synchronize()


if __name__ == "__main__":
    main()
