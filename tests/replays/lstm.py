"""A cuDNN LSTM is trained by truncated backpropagation; the graph carries the hidden state from segment to segment."""

import torch
from torch import nn
from torch.nn import functional as F

BATCH, SEGMENT, FEATURES, HIDDEN = 4, 6, 8, 16


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(FEATURES, HIDDEN, num_layers=2)
        self.head = nn.Linear(HIDDEN, FEATURES)

    def forward(self, x, hidden):
        out, hidden = self.lstm(x, hidden)
        return self.head(out), hidden


def train(warmup, segments, captured):
    torch.manual_seed(0)
    model = Forecaster().cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2, capturable=True)
    x = torch.empty(SEGMENT + 1, BATCH, FEATURES, device="cuda")
    h = torch.zeros(2, BATCH, HIDDEN, device="cuda")
    c = torch.zeros(2, BATCH, HIDDEN, device="cuda")

    def step():
        optimizer.zero_grad(set_to_none=True)
        prediction, (next_h, next_c) = model(x[:-1], (h, c))
        loss = F.mse_loss(prediction, x[1:])
        loss.backward()
        optimizer.step()
        h.copy_(next_h.detach())
        c.copy_(next_c.detach())
        return loss.detach()

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for segment in warmup:
            x.copy_(segment)
            step()
    torch.cuda.current_stream().wait_stream(side)

    if captured:
        optimizer.zero_grad(set_to_none=True)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            loss = step()

    # A new sequence begins.
    h.zero_()
    c.zero_()
    losses = []
    for segment in segments:
        x.copy_(segment)
        if captured:
            graph.replay()
        else:
            loss = step()
        losses.append(loss.item())
    return losses


def main():
    torch.manual_seed(1)
    series = torch.randn(8 * SEGMENT + 1, BATCH, FEATURES).cumsum(0) * 0.1
    segments = [series[i * SEGMENT : (i + 1) * SEGMENT + 1] for i in range(8)]
    eager = train(segments[:3], segments[3:], captured=False)
    captured = train(segments[:3], segments[3:], captured=True)
    print("eager   ", eager)
    print("captured", captured)
    print("max difference", max(abs(a - b) for a, b in zip(eager, captured, strict=True)))


if __name__ == "__main__":
    main()
