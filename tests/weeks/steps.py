"""A program that runs for weeks, in short: a captured step that is replayed, eager work around it, and a new capture from time to time.

    python steps.py STEPS CAPTURE_EVERY EAGER_EVERY

At each tenth of its way it prints the steps, the seconds and the resident memory of the process in MB.
"""

import sys
import time

import torch

LOOKS = 10
KEPT = 100


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096 / 1e6


def capture(step):
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = step()
    return graph, result


def main():
    steps, capture_every, eager_every = (int(word) for word in sys.argv[1:])
    weight = torch.randn(32, 32, device="cuda")
    data = torch.zeros(8, 32, device="cuda")
    total = torch.zeros(8, 32, device="cuda")
    kept = []

    def step():
        return torch.relu(data @ weight)

    graph, result = capture(step)
    begun = time.monotonic()
    for number in range(1, steps + 1):
        if number % capture_every == 0:
            graph, result = capture(step)
        is_eager = number % eager_every == 0
        if is_eager:
            data.copy_(torch.randn(8, 32, device="cuda"))
        graph.replay()
        if is_eager:
            total += result
            kept.append(torch.empty(number % 7 * 1024 + 16, device="cuda"))
            if len(kept) == KEPT:
                kept.clear()
        if number % (steps // LOOKS) == 0:
            torch.cuda.synchronize()
            print(number, f"{time.monotonic() - begun:.2f} {resident():.1f}", flush=True)


if __name__ == "__main__":
    main()
