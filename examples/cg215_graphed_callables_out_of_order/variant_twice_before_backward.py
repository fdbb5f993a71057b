"""A graphed encoder runs on both halves of a pair before the backward, which then knows the second only."""

import torch


class Encoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(4, device="cuda"))

    def forward(self, x):
        return (x * self.weight) ** 2


def train(encoder, pair):
    encoder.weight.grad = torch.zeros_like(encoder.weight)
    losses = [encoder(x).sum() for x in pair]
    sum(losses).backward()  # cgsan: CG215
    return encoder.weight.grad[0].item()


pair = [torch.full((4,), value, device="cuda") for value in (1.0, 2.0)]
eager = [train(Encoder(), pair)]
encoder = torch.cuda.make_graphed_callables(Encoder(), (pair[0].clone(),))  # cgsan: label
print("replay", [train(encoder, pair)], "eager", eager)
