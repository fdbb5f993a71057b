"""As `transformer_callables.py`, but the gradients of the first micro batch are the graphs' own memory."""

import torch
from torch import nn
from torch.nn import functional as F

VOCABULARY, LENGTH, WIDTH = 32, 8, 32


class LanguageModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.positions = nn.Parameter(torch.zeros(LENGTH, WIDTH))
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(WIDTH, 4, 64, dropout=0.0, batch_first=True, norm_first=True)
            for _ in range(2)
        )
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, tokens):
        x = self.tokens(tokens) + self.positions
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x))


def autocast():
    return torch.autocast("cuda", torch.bfloat16, cache_enabled=False)


def graph_layers(model, batch_size):
    layers = tuple(model.layers)
    samples = tuple(
        (torch.randn(batch_size, LENGTH, WIDTH, device="cuda", requires_grad=True),) for _ in layers
    )
    with autocast():
        torch.cuda.make_graphed_callables(layers, samples)


def train(steps, graphed):
    torch.manual_seed(0)
    model = LanguageModel().cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    if graphed:
        graph_layers(model, steps[0].shape[1])

    losses = []
    for batch in steps:
        total = 0.0
        for micro_batch in batch:
            tokens = micro_batch.cuda()
            with autocast():
                logits = model(tokens[:, :-1])
                loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
            (loss / len(batch)).backward()  # cgsan: CG218
            total += loss.item() / len(batch)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        losses.append(total)
    return losses


def main():
    torch.manual_seed(1)
    steps = [torch.randint(VOCABULARY, (2, 4, LENGTH + 1)) for _ in range(5)]
    eager = train(steps, graphed=False)
    graphed = train(steps, graphed=True)
    print("eager  ", eager)
    print("graphed", graphed)
    print("max difference", max(abs(a - b) for a, b in zip(eager, graphed, strict=True)))


if __name__ == "__main__":
    main()
