"""Each graph is captured by itself; the streams that replay them wait for each other."""

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
x.fill_(2)
producer.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(producer):
    first.replay()
consumer.wait_stream(producer)
with torch.cuda.stream(consumer):
    second.replay()
torch.cuda.current_stream().wait_stream(consumer)
torch.testing.assert_close(z, torch.full_like(z, 6))
