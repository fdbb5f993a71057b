"""A transformer is trained under autocast with two micro batches a step, in bfloat16 and in float16 with a scaler."""

import torch
from torch import nn
from torch.nn import functional as F

VOCABULARY, LENGTH, WIDTH = 32, 8, 32


class LanguageModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.positions = nn.Parameter(torch.zeros(LENGTH, WIDTH))
        layer = nn.TransformerEncoderLayer(
            WIDTH, 4, 64, dropout=0.0, batch_first=True, norm_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(WIDTH, VOCABULARY)
        mask = nn.Transformer.generate_square_subsequent_mask(LENGTH)
        self.register_buffer("mask", mask, persistent=False)

    def forward(self, tokens):
        x = self.tokens(tokens) + self.positions
        return self.head(self.encoder(x, mask=self.mask, is_causal=True))


def loss_of(model, tokens, dtype):
    with torch.autocast("cuda", dtype):
        logits = model(tokens[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


def build(capturable):
    torch.manual_seed(0)
    model = LanguageModel().cuda()
    return model, torch.optim.AdamW(model.parameters(), lr=1e-3, capturable=capturable)


def bfloat16_step(model, optimizer, micro_batches):
    optimizer.zero_grad(set_to_none=True)
    total = torch.zeros((), device="cuda")
    for tokens in micro_batches:
        loss = loss_of(model, tokens, torch.bfloat16) / len(micro_batches)
        loss.backward()
        total += loss.detach()
    optimizer.step()
    return total


def train_bfloat16(warmup, steps, captured):
    """Both micro batches and the optimizer's step are one graph."""
    model, optimizer = build(capturable=True)
    static = torch.empty_like(steps[0], device="cuda")

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for batch in warmup:
            static.copy_(batch)
            bfloat16_step(model, optimizer, static)
    torch.cuda.current_stream().wait_stream(side)

    if captured:
        optimizer.zero_grad(set_to_none=True)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            loss = bfloat16_step(model, optimizer, static)

    losses = []
    for batch in steps:
        static.copy_(batch)
        if captured:
            graph.replay()
        else:
            loss = bfloat16_step(model, optimizer, static)
        losses.append(loss.item())
    return losses


def train_float16(warmup, steps, captured):
    """Forward and backward of a micro batch are one graph; the scaler and the optimizer stay eager."""
    model, optimizer = build(capturable=False)
    scaler = torch.amp.GradScaler("cuda", init_scale=1024.0)
    static = torch.empty_like(steps[0][0], device="cuda")

    def forward_backward():
        loss = loss_of(model, static, torch.float16)
        scaler.scale(loss / 2).backward()
        return loss.detach()

    def update():
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        # The graph adds to these tensors: they stay where they are.
        optimizer.zero_grad(set_to_none=False)

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for batch in warmup:
            for micro_batch in batch:
                static.copy_(micro_batch)
                forward_backward()
            update()
    torch.cuda.current_stream().wait_stream(side)

    if captured:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            loss = forward_backward()

    losses = []
    for batch in steps:
        total = 0.0
        for micro_batch in batch:
            static.copy_(micro_batch)
            if captured:
                graph.replay()
            else:
                loss = forward_backward()
            total += loss.item() / 2
        update()
        losses.append(total)
    return losses


def main():
    torch.manual_seed(1)
    steps = [torch.randint(VOCABULARY, (2, 4, LENGTH + 1)) for _ in range(8)]
    for train in (train_bfloat16, train_float16):
        eager = train(steps[:3], steps[3:], captured=False)
        captured = train(steps[:3], steps[3:], captured=True)
        print(train.__name__)
        print("  eager   ", eager)
        print("  captured", captured)
        print("  max difference", max(abs(a - b) for a, b in zip(eager, captured, strict=True)))


if __name__ == "__main__":
    main()
