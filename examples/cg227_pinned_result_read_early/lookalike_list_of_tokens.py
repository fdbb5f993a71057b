"""The host makes its list of the tokens once an event behind the replay is over; a view of them is made before."""

import torch

scores = torch.zeros(2, 8, device="cuda")
tokens = torch.zeros(2, dtype=torch.int64, pin_memory=True)
done = torch.cuda.Event()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    torch.cuda._sleep(20_000_000)  # stands for a decoder
    tokens.copy_(scores.argmax(dim=1), non_blocking=True)

replayed, eager = [], []
for step in range(1, 5):
    scores.zero_()
    scores[:, step] = 1
    graph.replay()
    done.record()
    first = tokens[:1].numpy(force=True)
    done.synchronize()
    replayed.append((tokens.tolist(), first.tolist()))
    found = scores.argmax(dim=1).tolist()
    eager.append((found, found[:1]))
print("replay", replayed, "eager", eager)
