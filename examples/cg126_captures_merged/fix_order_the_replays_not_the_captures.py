"""Order the replays, not the captures."""

import torch

x = torch.ones(4, device="cuda")
first = torch.cuda.CUDAGraph()
second = torch.cuda.CUDAGraph()

with torch.cuda.graph(first):
    y = x + 1
with torch.cuda.graph(second):
    z = y * 2

producer = torch.cuda.Stream()
consumer = torch.cuda.Stream()
producer.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(producer):
    first.replay()
consumer.wait_stream(producer)
with torch.cuda.stream(consumer):
    second.replay()
torch.cuda.current_stream().wait_stream(consumer)
print(z.tolist())
