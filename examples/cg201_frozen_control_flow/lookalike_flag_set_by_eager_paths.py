"""Each eager path sets the flag before it runs the model; replays are steps of the other path, and need it not."""

import torch


class State:
    def __init__(self):
        self.prefill = False


state = State()


def model(x):
    return x.cumsum(0) if state.prefill else x * 2


def prefill(x):
    state.prefill = True
    return model(x)


def decode(x):
    state.prefill = False
    return model(x)


x = torch.ones(4, device="cuda")
decode(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = model(x)

for step in range(6):
    x.fill_(step)
    if step % 3 == 0:
        print("prefill", prefill(x)[3].item(), "expected", 4.0 * step)
    elif step == 4:
        print("decode", decode(x)[3].item(), "expected", 2.0 * step)
    else:
        graph.replay()
        print("replay", y[3].item(), "expected", 2.0 * step)
