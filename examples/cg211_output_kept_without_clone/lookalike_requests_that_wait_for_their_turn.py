"""Requests have the graph's output in a variable before it is their turn; each replays the graph and reads it under a lock."""

import asyncio

import torch

static = torch.zeros(2, device="cuda")


def forward(batch):
    return batch.exp().cumsum(0)


forward(static)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    output = forward(static)


async def handle(lock, request):
    answers = []
    for step in range(3):
        result = output
        async with lock:
            static.fill_(request + step)
            graph.replay()
            answers.append(result.tolist())
        await asyncio.sleep(0.01)
    return answers


async def main():
    lock = asyncio.Lock()
    return await asyncio.gather(*(handle(lock, float(request)) for request in range(4)))


for request, answers in enumerate(asyncio.run(main())):
    for step, answer in enumerate(answers):
        eager = forward(torch.full((2,), float(request + step), device="cuda"))
        assert answer == eager.tolist(), (request, step, answer, eager)
