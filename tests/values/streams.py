"""What a program sees whose streams wait for each other, or do not, under the schedule that `CGSAN_SCHEDULE` names.

Numbers of programs that are right are the same under each. Those of a race are asserted where the schedule decides them.
"""

import os

import torch

SCHEDULE = os.environ.get("CGSAN_SCHEDULE", "eager").partition(":")[0]
SIZE = 1 << 16


def raced(found, eager, lazy):
    """What a race gives: what was enqueued has happened, or it has not; a seed may choose either."""
    wanted = {"eager": (eager,), "lazy": (lazy,), "random": (eager, lazy)}[SCHEDULE]
    assert found in wanted, (SCHEDULE, found, wanted)


def zeros():
    tensor = torch.zeros(SIZE, device="cuda")
    torch.cuda.synchronize()
    return tensor


def missing_wait():
    side, x = torch.cuda.Stream(), zeros()
    with torch.cuda.stream(side):
        x.add_(1)
    raced(x[0].item(), eager=1.0, lazy=0.0)
    torch.cuda.current_stream().wait_stream(side)
    assert x[0].item() == 1.0


def missing_wait_seen_at_the_end():
    """The reader is enqueued later and nothing orders it; that the host waits for everything in the end repairs nothing."""
    side, x = torch.cuda.Stream(), zeros()
    with torch.cuda.stream(side):
        x.add_(1)
    y = x * 2
    torch.cuda.synchronize()
    raced(y[0].item(), eager=2.0, lazy=0.0)


def right_waits():
    side, x = torch.cuda.Stream(), zeros()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        y = x + 1
        done = side.record_event()
        y.record_stream(torch.cuda.current_stream())
    done.wait()
    z = y * 3
    assert z[0].item() == 3.0
    side.synchronize()
    x.fill_(5)
    torch.cuda.default_stream().synchronize()
    assert x[0].item() == 5.0


def pinned_memory():
    """A copy of pinned memory reads when it is its turn; one of ordinary memory has read when the call returns."""
    zeros()
    pinned, ordinary = torch.ones(4).pin_memory(), torch.ones(4)
    from_pinned = pinned.to("cuda", non_blocking=True)
    from_ordinary = ordinary.to("cuda", non_blocking=True)
    pinned.fill_(7)
    ordinary.fill_(7)
    raced(from_pinned[0].item(), eager=1.0, lazy=7.0)
    assert from_ordinary[0].item() == 1.0
    strided = torch.ones(4, 4)
    there = torch.zeros(4, 8, device="cuda")
    there[:, ::2].copy_(strided.t(), non_blocking=True)
    strided.fill_(7)
    assert there.sum().item() == 16.0


def early_read():
    zeros()
    x = torch.full((4,), 2.0, device="cuda")
    pinned = torch.zeros(4).pin_memory()
    pinned.copy_(x, non_blocking=True)
    raced(pinned[0].item(), eager=2.0, lazy=0.0)
    torch.cuda.current_stream().synchronize()
    assert pinned[0].item() == 2.0
    ordinary = torch.zeros(4)
    ordinary.copy_(x * 2, non_blocking=True)
    assert ordinary[0].item() == 4.0


def polling():
    x = zeros()
    pinned = torch.zeros(SIZE).pin_memory()
    pinned.copy_(x + 1, non_blocking=True)
    event = torch.cuda.current_stream().record_event()
    while not event.query():
        pass
    assert pinned[0].item() == 1.0
    pinned.copy_(x + 2, non_blocking=True)
    event = torch.cuda.current_stream().record_event()
    while not event.query():
        x + 1  # other work between two questions
    assert pinned[0].item() == 2.0
    pinned.copy_(x + 3, non_blocking=True)
    while not torch.cuda.current_stream().query():
        pass
    assert pinned[0].item() == 3.0


def freed_memory(with_record):
    """What another stream still reads is given out anew, unless the allocator knows of that stream."""
    side = torch.cuda.Stream()
    x = torch.ones(SIZE, device="cuda")
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        y = x * 2
        if with_record:
            x.record_stream(side)
    address = x.data_ptr()
    del x
    other = torch.full((SIZE,), 9.0, device="cuda")
    torch.cuda.synchronize()
    if with_record:
        assert y[0].item() == 2.0
    else:
        assert other.data_ptr() == address
        raced(y[0].item(), eager=2.0, lazy=18.0)


def memory_that_goes_back():
    """Memory that goes back to CUDA is there until work that uses it is done."""
    x = torch.ones(32 << 20, dtype=torch.uint8, device="cuda")
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        y = x.sum(dtype=torch.int64)
    del x
    torch.cuda.empty_cache()
    torch.cuda.synchronize()
    assert y.item() == 32 << 20


def numbers_of_the_host():
    """A GPU gets the numbers of the host when an operator is called, or captured, and not when it runs."""
    number = torch.tensor(2.0)
    x = torch.ones(4, device="cuda")
    y = x * number
    number.fill_(5)
    assert y[0].item() == 2.0
    number.fill_(2)
    graph = torch.cuda.CUDAGraph()
    # Not a block, of which it would be reported that the number is frozen.
    capture = torch.cuda.graph(graph)
    capture.__enter__()
    z = x * number
    capture.__exit__(None, None, None)
    number.fill_(5)
    graph.replay()
    assert z[0].item() == 2.0
    half = torch.ones(4, device="cuda", dtype=torch.half) * 2.0 + torch.tensor(1.0)
    assert half.dtype == torch.half and half[0].item() == 3.0


def sizes_that_values_decide():
    x = torch.arange(6.0, device="cuda")
    assert torch.nonzero(x > 3).shape == (2, 1)
    assert x[x > 3].tolist() == [4.0, 5.0]
    assert torch.bincount(torch.tensor([1, 4]).cuda() + 1).tolist() == [0, 0, 1, 0, 0, 1]
    assert (x + 1).unique().numel() == 6


def backward():
    """Autograd orders the streams of a backward pass by itself."""
    side = torch.cuda.Stream()
    weight = torch.full((4,), 3.0, device="cuda", requires_grad=True)
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        y = (weight * weight).sum()
    torch.cuda.current_stream().wait_stream(side)
    (y * 2).backward()
    assert weight.grad.tolist() == [12.0] * 4


def backward_waits_for_nothing():
    """Nor does an operator of it that leaves a gradient out."""
    x, pinned = torch.full((1, 1, 4, 4), 2.0, device="cuda"), torch.zeros(1).pin_memory()
    weight = torch.ones(1, 1, 1, 1, device="cuda", requires_grad=True)
    pinned.copy_(x.flatten()[:1], non_blocking=True)
    torch.nn.functional.conv2d(x, weight).sum().backward()
    raced(pinned.item(), eager=2.0, lazy=0.0)
    assert weight.grad.item() == 32.0
    assert pinned.item() == 2.0


def inference():
    """Computed in inference mode or out of it, as the host waits."""
    with torch.inference_mode():
        x = torch.ones(4, device="cuda") * 2
    with torch.autocast("cpu", dtype=torch.bfloat16), torch.autocast("cuda", dtype=torch.float16):
        y = torch.full((2, 2), 1.001, dtype=torch.float64, device="cuda").exp()
        z = torch.ones(2, 2, device="cuda") @ torch.full((2, 2), 1.5, device="cuda")
        assert y[0, 0].item() == torch.full((2, 2), 1.001, dtype=torch.float64).exp()[0, 0].item()
    assert x[0].item() == 2.0 and z.dtype == torch.float16 and z[0, 0].item() == 3.0


def forked_graph():
    side, x = torch.cuda.Stream(), zeros()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            y = x + 1
        z = x + 2
        torch.cuda.current_stream().wait_stream(side)
        w = y * z
    for value in (1.0, 2.0, 3.0):
        x.fill_(value)
        graph.replay()
        graph.replay()
        assert w[0].item() == (value + 1) * (value + 2)


def random_numbers():
    """Replays draw what they draw when each is waited for, also where many are enqueued first."""
    torch.manual_seed(5)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        drawn = torch.rand(3, device="cuda")

    def draw(wait):
        torch.manual_seed(5)
        found = []
        for _ in range(3):
            graph.replay()
            found.extend([drawn.clone(), torch.rand(2, device="cuda")])
            if wait:
                torch.cuda.synchronize()
        return [it.tolist() for it in found]

    assert draw(wait=True) == draw(wait=False)


def two_graphs(shared):
    """PyTorch's `test_graph_concurrent_replay`: two graphs run at the same time, of one memory pool or of two."""

    def captured(number, pool):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=pool):
            out = x.clone()
            for _ in range(5):
                out = (out.clone() + number) + (out.clone() + number)
        return graph, out

    x = torch.ones(SIZE, device="cuda")
    one, b = captured(1, None)
    other, c = captured(2, one.pool() if shared else None)
    torch.cuda.synchronize()
    streams = torch.cuda.Stream(), torch.cuda.Stream()
    for graph, stream in zip((one, other), streams, strict=True):
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            graph.replay()  # cgsan: CG216
    for stream in streams:
        torch.cuda.current_stream().wait_stream(stream)
    found = b[0].item(), c[0].item()
    if not shared or SCHEDULE == "eager":
        assert found == (94.0, 156.0)
    elif SCHEDULE == "lazy":
        assert found[0] != 94.0 and found[1] != 156.0


def one_graph_on_two_streams():
    """Launches of one executable graph run one after the other."""
    x = zeros()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(4):
            x.add_(1)
    for stream in (torch.cuda.Stream(), torch.cuda.Stream()):
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            graph.replay()
    torch.cuda.synchronize()
    assert x[0].item() == 8.0


def external_events():
    """Graphs of several streams that wait for each other's external events, which are recorded where their replays reach them."""
    x, y = zeros(), zeros()
    pinned = torch.zeros(SIZE).pin_memory()
    made, read = torch.cuda.Event(external=True), torch.cuda.Event(external=True)
    producer, consumer = torch.cuda.Stream(), torch.cuda.Stream()
    first, second = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
    # PyTorch makes an event when it is recorded first, and does not wait for one that it has not made.
    read.record()
    with torch.cuda.graph(first, stream=producer):
        producer.wait_event(read)
        for _ in range(4):
            x.add_(1)
        made.record()
        x.mul_(1)
    with torch.cuda.graph(second, stream=consumer):
        consumer.wait_event(made)
        y.add_(x)
        pinned.copy_(y, non_blocking=True)
        read.record()
    torch.cuda.synchronize()
    for _ in range(3):
        with torch.cuda.stream(producer):
            first.replay()
        with torch.cuda.stream(consumer):
            second.replay()
    # The host, and a stream outside of graphs, wait for what a replay recorded.
    read.synchronize()
    assert pinned[0].item() == 4.0 + 8.0 + 12.0, pinned[0].item()
    with torch.cuda.stream(producer):
        first.replay()
    with torch.cuda.stream(consumer):
        second.replay()
    torch.cuda.current_stream().wait_event(read)
    assert (y * 2)[0].item() == 80.0


def many():
    """More work than is kept waiting."""
    x = torch.zeros(1, device="cuda")
    for _ in range(12_000):
        x.add_(1)
    assert x.item() == 12_000.0


def main():
    missing_wait()
    missing_wait_seen_at_the_end()
    right_waits()
    pinned_memory()
    early_read()
    polling()
    freed_memory(with_record=True)
    freed_memory(with_record=False)
    memory_that_goes_back()
    numbers_of_the_host()
    sizes_that_values_decide()
    backward()
    backward_waits_for_nothing()
    inference()
    forked_graph()
    random_numbers()
    two_graphs(shared=False)
    two_graphs(shared=True)
    one_graph_on_two_streams()
    external_events()
    many()
    print("all as ordered")


if __name__ == "__main__":
    main()
