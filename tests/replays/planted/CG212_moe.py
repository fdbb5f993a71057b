"""As `moe.py`, but a Python counter is increased in the captured step."""

import torch
from torch import nn
from torch.nn import functional as F

TOKENS, WIDTH, EXPERTS, CHOSEN, CAPACITY = 16, 16, 4, 2, 10


class MixtureOfExperts(nn.Module):
    """Every expert has `CAPACITY` slots; the tokens that find none go to one more slot that nobody reads."""

    def __init__(self):
        super().__init__()
        self.router = nn.Linear(WIDTH, EXPERTS, bias=False)
        self.up = nn.Parameter(torch.randn(EXPERTS, WIDTH, 2 * WIDTH) * 0.2)
        self.down = nn.Parameter(torch.randn(EXPERTS, 2 * WIDTH, WIDTH) * 0.2)

    def forward(self, x):
        probabilities = self.router(x).softmax(-1)
        weights, experts = probabilities.topk(CHOSEN)
        weights = (weights / weights.sum(-1, keepdim=True)).flatten()
        experts = experts.flatten()

        # The place of each token among those that chose the same expert.
        chose = experts[:, None] == torch.arange(EXPERTS, device=x.device)
        place = (chose.cumsum(0) - 1).gather(1, experts[:, None]).squeeze(1)
        slot = torch.where(place < CAPACITY, experts * CAPACITY + place, EXPERTS * CAPACITY)

        slots = x.new_zeros(EXPERTS * CAPACITY + 1, WIDTH)
        slots = slots.index_add(0, slot, x.repeat_interleave(CHOSEN, 0))
        hidden = torch.bmm(slots[:-1].view(EXPERTS, CAPACITY, WIDTH), self.up)
        done = torch.bmm(F.gelu(hidden), self.down).flatten(0, 1)
        done = torch.cat([done, done.new_zeros(1, WIDTH)])
        y = (done.index_select(0, slot) * weights[:, None]).view(TOKENS, CHOSEN, WIDTH).sum(1)

        # Load balancing: the share of tokens that each expert got, times the router's mean probability.
        share = chose.float().mean(0)
        balance = EXPERTS * (share * probabilities.mean(0)).sum()
        return y, balance


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(2))
        self.experts = nn.ModuleList(MixtureOfExperts() for _ in range(2))
        self.tokens_seen = 0

    def forward(self, x):
        self.tokens_seen += len(x)  # cgsan: CG212
        balance = 0.0
        for norm, experts in zip(self.norms, self.experts, strict=True):
            y, layer_balance = experts(norm(x))
            x = x + y
            balance = balance + layer_balance
        return x, balance


def train(warmup, batches, captured):
    torch.manual_seed(0)
    model = Model().cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, capturable=True)
    x = torch.empty(TOKENS, WIDTH, device="cuda")
    target = torch.empty(TOKENS, WIDTH, device="cuda")

    def step():
        optimizer.zero_grad(set_to_none=True)
        y, balance = model(x)
        loss = F.mse_loss(y, target) + 0.01 * balance
        loss.backward()
        optimizer.step()
        return loss.detach()

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for inputs, targets in warmup:
            x.copy_(inputs)
            target.copy_(targets)
            step()
    torch.cuda.current_stream().wait_stream(side)

    if captured:
        optimizer.zero_grad(set_to_none=True)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            loss = step()

    losses = []
    for inputs, targets in batches:
        x.copy_(inputs)
        target.copy_(targets)
        if captured:
            graph.replay()
        else:
            loss = step()
        losses.append(loss.item())
    print("tokens seen", model.tokens_seen)
    return losses


def main():
    torch.manual_seed(1)
    batches = [torch.randn(2, TOKENS, WIDTH).unbind() for _ in range(8)]
    eager = train(batches[:3], batches[3:], captured=False)
    captured = train(batches[:3], batches[3:], captured=True)
    print("eager   ", eager)
    print("captured", captured)
    print("max difference", max(abs(a - b) for a, b in zip(eager, captured, strict=True)))


if __name__ == "__main__":
    main()
