"""A thread copies batches through pinned memory on a stream of its own while the training step is replayed."""

import queue
import threading

import torch
from torch import nn
from torch.nn import functional as F

BATCH, WIDTH = 8, 16


class Slot:
    """A pinned buffer, the device buffer that it is copied to, and who is done with them."""

    def __init__(self):
        self.pinned = torch.empty(BATCH, WIDTH + 1, pin_memory=True)
        self.device = torch.empty(BATCH, WIDTH + 1, device="cuda")
        self.copied = torch.cuda.Event()
        self.consumed = torch.cuda.Event()


class Prefetcher:
    def __init__(self, batches, slots=2):
        self.batches = batches
        self.stream = torch.cuda.Stream()
        self.stream.wait_stream(torch.cuda.current_stream())
        self.free = queue.Queue()
        self.ready = queue.Queue()
        for _ in range(slots):
            self.free.put(Slot())
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()

    def work(self):
        for batch in self.batches:
            slot = self.free.get()
            # The last copy from the pinned buffer must be over before the host writes to it.
            slot.copied.synchronize()
            slot.pinned.copy_(batch)
            with torch.cuda.stream(self.stream):
                self.stream.wait_event(slot.consumed)
                slot.device.copy_(slot.pinned, non_blocking=True)
                slot.copied.record(self.stream)
            self.ready.put(slot)
        self.ready.put(None)

    def copy_next_to(self, target):
        """Copies the next batch to `target` on the current stream; false if there is none."""
        slot = self.ready.get()
        if slot is None:
            self.thread.join()
            return False
        current = torch.cuda.current_stream()
        current.wait_event(slot.copied)
        target.copy_(slot.device)
        slot.consumed.record(current)
        self.free.put(slot)
        return True


def build():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(WIDTH, 32), nn.ReLU(), nn.Linear(32, 1)).cuda()
    return model, torch.optim.SGD(model.parameters(), lr=0.05)


def train_step(model, optimizer, batch):
    optimizer.zero_grad(set_to_none=True)
    loss = F.mse_loss(model(batch[:, :WIDTH]), batch[:, WIDTH:])
    loss.backward()
    optimizer.step()
    return loss.detach()


def train_eager(warmup, batches):
    model, optimizer = build()
    for batch in warmup:
        train_step(model, optimizer, batch.cuda())
    return [train_step(model, optimizer, batch.cuda()).item() for batch in batches]


def train_captured(warmup, batches):
    model, optimizer = build()
    static = torch.empty(BATCH, WIDTH + 1, device="cuda")
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for batch in warmup:
            static.copy_(batch)
            train_step(model, optimizer, static)
    torch.cuda.current_stream().wait_stream(side)
    optimizer.zero_grad(set_to_none=True)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        static_loss = train_step(model, optimizer, static)

    # The host reads the losses once, at the end: nothing makes it wait in between.
    losses = torch.empty(len(batches), device="cuda")
    prefetcher = Prefetcher(batches)
    step = 0
    while prefetcher.copy_next_to(static):
        graph.replay()
        losses[step].copy_(static_loss)
        step += 1
    return losses.tolist()


def main():
    torch.manual_seed(1)
    data = [torch.randn(BATCH, WIDTH + 1) for _ in range(9)]
    eager = train_eager(data[:3], data[3:])
    captured = train_captured(data[:3], data[3:])
    print("eager   ", eager)
    print("captured", captured)
    print("max difference", max(abs(a - b) for a, b in zip(eager, captured, strict=True)))


if __name__ == "__main__":
    main()
