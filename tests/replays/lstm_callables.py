"""A cuDNN LSTM is a graphed callable; its hidden state goes from one call to the next."""

import torch
from torch import nn
from torch.nn import functional as F

BATCH, SEGMENT, FEATURES, HIDDEN = 4, 6, 8, 16


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(FEATURES, HIDDEN, num_layers=2)
        self.head = nn.Linear(HIDDEN, FEATURES)

    def forward(self, x, h, c):
        out, (h, c) = self.lstm(x, (h, c))
        return self.head(out), h, c


def train(segments, graphed):
    torch.manual_seed(0)
    model = Forecaster().cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    if graphed:
        x = torch.randn(SEGMENT, BATCH, FEATURES, device="cuda")
        state = torch.randn(2, BATCH, HIDDEN, device="cuda")
        model = torch.cuda.make_graphed_callables(model, (x, state, state.clone()))

    losses = []
    h = torch.zeros(2, BATCH, HIDDEN, device="cuda")
    c = torch.zeros(2, BATCH, HIDDEN, device="cuda")
    for segment in segments:
        segment = segment.cuda()
        optimizer.zero_grad(set_to_none=True)
        prediction, h, c = model(segment[:-1], h, c)
        loss = F.mse_loss(prediction, segment[1:])
        loss.backward()
        optimizer.step()
        # The next call copies them to the graph's inputs before it replays.
        h, c = h.detach(), c.detach()
        losses.append(loss.item())
    return losses


def main():
    torch.manual_seed(1)
    series = torch.randn(5 * SEGMENT + 1, BATCH, FEATURES).cumsum(0) * 0.1
    segments = [series[i * SEGMENT : (i + 1) * SEGMENT + 1] for i in range(5)]
    eager = train(segments, graphed=False)
    graphed = train(segments, graphed=True)
    print("eager  ", eager)
    print("graphed", graphed)
    print("max difference", max(abs(a - b) for a, b in zip(eager, graphed, strict=True)))


if __name__ == "__main__":
    main()
