"""What cgsan costs a training that is captured: a transformer of 12 layers, 1,000 replays of its step.

Usage: python transformer.py CGSAN SECONDS

Whole processes take turns: plain, under `cgsan run`, and under `cgsan run --twin never`. Each says how long its replays took,
from the first one to the last one's end, with a batch copied in before each and the loss read at every tenth, and when it came to its
warm-up, to its replays and to its end. The medians of the ratios of neighbours are printed, with their 95 % confidence intervals, for the replays and the whole
program, and the median seconds of its other parts.
"""

import os
import statistics
import subprocess
import sys
import time

import cost
import torch
from torch import nn

REPLAYS = 1_000
LAYERS, WIDTH, HEADS, LENGTH, BATCH, WORDS = 12, 768, 12, 256, 8, 8_192


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, WIDTH)
        layer = nn.TransformerEncoderLayer(WIDTH, HEADS, 4 * WIDTH, dropout=0.1, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)
        self.head = nn.Linear(WIDTH, WORDS)

    def forward(self, tokens):
        return self.head(self.layers(self.embedding(tokens)))


def program():
    """Trains by replays, and prints the seconds that they took, the last loss, and when it began, replayed and ended."""
    times = [time.time()]
    torch.manual_seed(0)
    model = Model().cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, capturable=True)
    tokens = torch.zeros(BATCH, LENGTH, dtype=torch.long, device="cuda")
    targets = torch.zeros_like(tokens)
    batches = [torch.randint(0, WORDS, (2, BATCH, LENGTH)).pin_memory() for _ in range(8)]

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", dtype=torch.bfloat16, cache_enabled=False):
            logits = model(tokens)
            loss = nn.functional.cross_entropy(logits.view(-1, WORDS), targets.view(-1))
        loss.backward()
        optimizer.step()
        return loss

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        loss = step()

    torch.cuda.synchronize()
    times.append(time.time())
    begun = time.perf_counter()
    read = 0.0
    for number in range(REPLAYS):
        tokens.copy_(batches[number % 8][0], non_blocking=True)
        targets.copy_(batches[number % 8][1], non_blocking=True)
        graph.replay()
        if number % 10 == 9:
            read = loss.item()
    torch.cuda.synchronize()
    times.append(time.time())
    print(time.perf_counter() - begun, read, *times, flush=True)


def taken(prefix):
    """Seconds of the replays, of the whole program, of its start, of its warm-up with the capture, and of its end."""
    begun = time.time()
    words = [*prefix, sys.executable, os.path.abspath(__file__), "program"]
    done = subprocess.run(words, capture_output=True, text=True)
    ended = time.time()
    if done.returncode:
        sys.exit(f"{' '.join(words)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    replays, _, started, captured, replayed = map(float, done.stdout.split())
    return replays, ended - begun, started - begun, captured - started, ended - replayed


def main(cgsan, seconds):
    watched = cost.watch(cgsan)
    kinds = {
        "plain": [],
        "`cgsan run`": watched,
        "`cgsan run --twin never`": [*watched[:-1], "--twin", "never", "--"],
    }
    taken([])  # So that no measurement reads a file from the disk.
    rounds = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        order = list(kinds) if len(rounds) % 2 == 0 else list(kinds)[::-1]
        rounds.append({name: taken(kinds[name]) for name in order})
    parts = "start, s | warm-up and capture, s | end, s"
    print(f"| | 1,000 replays, s | ratio (95 %) | whole program, s | ratio (95 %) | {parts} |")
    print("|---|---|---|---|---|---|---|---|")
    for name in kinds:
        cells = []
        for part in (0, 1):
            ratios = [it[name][part] / it["plain"][part] for it in rounds]
            bounds = cost.interval(ratios)
            shown = f" ({bounds[0]:.3f} to {bounds[1]:.3f})" if bounds else ""
            seconds_of = statistics.median(it[name][part] for it in rounds)
            cells += [f"{seconds_of:.2f}", f"{statistics.median(ratios):.3f} ×{shown}"]
        cells += [f"{statistics.median(it[name][part] for it in rounds):.2f}" for part in (2, 3, 4)]
        print(f"| {name} | {' | '.join(cells)} |")
    print(f"{len(rounds)} rounds")


if __name__ == "__main__":
    if sys.argv[1:] == ["program"]:
        program()
    else:
        main(sys.argv[1], float(sys.argv[2]))
