"""A decoding loop reads its stop flag in pinned memory right after it has queued the step."""

import torch

left = torch.full((), 3, device="cuda")
stop = torch.zeros((), dtype=torch.bool, pin_memory=True)


def step():
    torch.cuda._sleep(20_000_000)  # stands for a decoder
    left.sub_(1)
    stop.copy_(left <= 0, non_blocking=True)  # cgsan: label


graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    step()

replays = 0
while replays < 8:
    graph.replay()  # cgsan: label
    replays += 1
    if stop:  # cgsan: CG227
        break

left.fill_(3)
steps = 0
while left.item() > 0:
    step()
    steps += 1
print("replay", replays, "eager", steps)
