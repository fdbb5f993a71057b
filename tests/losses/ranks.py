"""What the programs of several ranks share."""

import os

import torch
import torch.distributed as dist
from torch import nn
from ways import DEVICE, repeated, say


def begin():
    """This process's device, once the ranks know each other."""
    if DEVICE == "cpu":
        dist.init_process_group("gloo")
        return torch.device("cpu")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("nccl", device_id=device)
    return device


class Block(nn.Module):
    """Attention and a feed-forward layer with names that plans can use."""

    def __init__(self, width=32, heads=2):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.output = nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
        self.of_head = width // heads

    def forward(self, x):
        normal = self.norm(x)
        parts = [
            of(normal).unflatten(-1, (-1, self.of_head)).transpose(1, 2)
            for of in (self.query, self.key, self.value)
        ]
        mixed = nn.functional.scaled_dot_product_attention(*parts, is_causal=True)
        x = x + self.output(mixed.transpose(1, 2).flatten(2))
        return x + self.down(nn.functional.gelu(self.up(x)))


class Model(nn.Module):
    """A small language model."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(64, 32)
        self.blocks = nn.ModuleList(Block() for _ in range(2))
        self.head = nn.Linear(32, 64)

    def forward(self, tokens):
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def train(model, optimizer, is_split):
    """Says the mean loss of all ranks for some steps; batches are split among ranks, or the same for all."""
    rank, count = dist.get_rank(), dist.get_world_size()
    batches = [torch.randint(0, 64, (4 * count, 9)) for _ in range(4)]
    if is_split:
        batches = [tokens[4 * rank : 4 * rank + 4] for tokens in batches]

    def step(tokens):
        optimizer.zero_grad(set_to_none=True)
        logits = model(tokens[:, :-1]).float()
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
        loss.backward()
        optimizer.step()
        total = loss.detach().clone()
        dist.all_reduce(total)
        return total / count

    for loss in repeated(step, [(tokens,) for tokens in batches]):
        if rank == 0:
            say(loss)
