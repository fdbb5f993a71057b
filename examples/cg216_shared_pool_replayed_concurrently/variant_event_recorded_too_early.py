"""The second stream waits for an event of the first, which was recorded before the replay."""

import torch


def denoise(x):
    hidden = x * 2
    torch.cuda._sleep(20_000_000)  # stands for long layers
    return hidden + 1


def capture(x, pool=None):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, pool=pool):  # cgsan: label
        y = denoise(x)
    return graph, y


inputs = [torch.full((4,), value, device="cuda") for value in (1.0, 2.0)]
one, left = capture(inputs[0])
two, right = capture(inputs[1], one.pool())
first, second = torch.cuda.Stream(), torch.cuda.Stream()
torch.cuda.synchronize()
with torch.cuda.stream(first):
    ready = first.record_event()
    one.replay()
with torch.cuda.stream(second):
    second.wait_event(ready)
    two.replay()  # cgsan: CG216
torch.cuda.synchronize()
replayed = [left[0].item(), right[0].item()]
print("replay", replayed, "eager", [denoise(x)[0].item() for x in inputs])
