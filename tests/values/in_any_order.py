"""Twenty programs of several streams that wait for all they need: each prints a number, the same under every schedule."""

import threading

import torch
from torch import nn

SIZE = 1 << 10


def numbers():
    return torch.rand(SIZE, device="cuda")


def streams(count):
    """Streams that begin after what was enqueued so far."""
    made = [torch.cuda.Stream() for _ in range(count)]
    for stream in made:
        stream.wait_stream(torch.cuda.current_stream())
    return made


def join(made):
    for stream in made:
        torch.cuda.current_stream().wait_stream(stream)


def there_and_back():
    x = numbers()
    (side,) = streams(1)
    with torch.cuda.stream(side):
        x.mul_(3)
    join([side])
    return x.sum()


def chain_of_events():
    x, event = numbers(), torch.cuda.current_stream().record_event()
    for stream in streams(4):
        stream.wait_event(event)
        with torch.cuda.stream(stream):
            x.mul_(2).add_(1)
            event = stream.record_event()
    event.wait()
    return x.sum()


def fan_out():
    x = numbers()
    made, parts = streams(4), []
    for number, stream in enumerate(made):
        with torch.cuda.stream(stream):
            parts.append(x * number + number)
    join(made)
    return torch.stack(parts).sum()


def double_buffer():
    """A copy on one stream while the other works; each buffer is filled again when it has been read."""
    host = [torch.full((SIZE,), float(it)).pin_memory() for it in range(8)]
    buffers = [torch.empty(SIZE, device="cuda") for _ in range(2)]
    read = [torch.cuda.Event() for _ in buffers]
    total = torch.zeros(SIZE, device="cuda")
    copies, work = streams(2)
    for number, batch in enumerate(host):
        buffer, is_read = buffers[number % 2], read[number % 2]
        copies.wait_event(is_read)
        with torch.cuda.stream(copies):
            buffer.copy_(batch, non_blocking=True)
        work.wait_stream(copies)
        with torch.cuda.stream(work):
            total.add_(buffer).mul_(1.5)
            is_read.record()
    join([copies, work])
    return total.sum()


def one_pinned_buffer():
    """The host fills it again when the copy of it is over."""
    (copies,) = streams(1)
    pinned, copied = torch.empty(SIZE).pin_memory(), torch.cuda.Event()
    batches = []
    for number in range(6):
        copied.synchronize()
        pinned.fill_(number)
        with torch.cuda.stream(copies):
            batches.append(pinned.to("cuda", non_blocking=True))
            copied.record()
    join([copies])
    return torch.stack(batches).square().sum()


def recorded_temporaries():
    """The allocator gives memory out anew that another stream has read."""
    (side,) = streams(1)
    results = []
    for _ in range(6):
        x = numbers()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            results.append(x * 2)
            x.record_stream(side)
        del x
    join([side])
    return torch.stack(results).sum()


def freed_after_a_wait():
    (side,) = streams(1)
    total = torch.zeros((), device="cuda")
    for _ in range(6):
        x = numbers()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            total += x.sum()
        join([side])
        del x
    return total


def read_back():
    (side,) = streams(1)
    x, pinned = numbers(), torch.empty(SIZE).pin_memory()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        pinned.copy_(x * 2, non_blocking=True)
        done = side.record_event()
    done.synchronize()
    return pinned.sum()


def polled():
    (side,) = streams(1)
    pinned = torch.empty(SIZE).pin_memory()
    with torch.cuda.stream(side):
        pinned.copy_(numbers(), non_blocking=True)
        done = side.record_event()
    while not done.query():
        pass
    return pinned.sum()


def ping_pong():
    one, other = streams(2)
    x, y = torch.ones(SIZE, device="cuda"), torch.ones(SIZE, device="cuda")
    one.wait_stream(torch.cuda.current_stream())
    for _ in range(6):
        with torch.cuda.stream(one):
            x.add_(y)
        other.wait_stream(one)
        with torch.cuda.stream(other):
            y.add_(x)
        one.wait_stream(other)
    join([one, other])
    return (x + y).sum()


def pipeline():
    """Three stages, each of a stream of its own, of four batches."""
    x = torch.rand(4, 16, 16, device="cuda")
    weights = torch.rand(3, 16, 16, device="cuda")
    stages, events, results = streams(3), {}, {}
    for batch in range(4):
        for stage, stream in enumerate(stages):
            if stage:
                stream.wait_event(events[batch, stage - 1])
            with torch.cuda.stream(stream):
                given = results[batch, stage - 1] if stage else x[batch]
                results[batch, stage] = (given @ weights[stage]).tanh()
                events[batch, stage] = stream.record_event()
    join(stages)
    return sum(results[batch, 2].sum() for batch in range(4))


def backward():
    """Autograd runs what a stream computed on that stream again."""
    weight = torch.rand(16, 16, device="cuda", requires_grad=True)
    x, parts = torch.rand(4, 16, device="cuda"), []
    made = streams(2)
    for stream in made:
        with torch.cuda.stream(stream):
            parts.append((x @ weight).tanh().sum())
    join(made)
    (parts[0] * parts[1]).backward()
    return weight.grad.sum()


def averages_beside_training():
    model = nn.Linear(8, 1).cuda()
    average = [it.detach().clone() for it in model.parameters()]
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    x = torch.rand(16, 8, device="cuda")
    (side,) = streams(1)
    for _ in range(5):
        loss = model(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        join([side])
        optimizer.step()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side), torch.no_grad():
            torch._foreach_lerp_(average, list(model.parameters()), 0.3)
    join([side])
    return sum(it.sum() for it in average)


def forked_capture():
    x, graph = numbers(), torch.cuda.CUDAGraph()
    side = torch.cuda.Stream()
    with torch.cuda.graph(graph):
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            y = x.sin()
        z = x.cos()
        join([side])
        x.copy_(y * z)
    for _ in range(3):
        graph.replay()
    return x.sum()


def replays_on_a_stream():
    x, graph = torch.zeros(SIZE, device="cuda"), torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x * 2 + 1
    total = torch.zeros(SIZE, device="cuda")
    (side,) = streams(1)
    for number in range(5):
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            x.fill_(number)
            graph.replay()
        join([side])
        total += y
    return total.sum()


def two_graphs_in_turn():
    x = numbers()
    first, second = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
    with torch.cuda.graph(first):
        y = x * 2
    with torch.cuda.graph(second):
        x.copy_(y + 1)
    one, other = streams(2)
    for _ in range(4):
        one.wait_stream(other)
        with torch.cuda.stream(one):
            first.replay()
        other.wait_stream(one)
        with torch.cuda.stream(other):
            second.replay()
    join([one, other])
    return x.sum()


def draws():
    """Numbers are drawn in the order of the calls, on whichever streams."""
    made, drawn = streams(3), []
    for number in range(6):
        with torch.cuda.stream(made[number % 3]):
            drawn.append(torch.randn(SIZE, device="cuda") * number)
    join(made)
    return torch.stack(drawn).sum()


def counted_sizes():
    (side,) = streams(1)
    x = numbers()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        found = x[x > 0.5].sort().values
        few = found[: found.numel() // 2]
    join([side])
    return few.sum() + few.numel()


def threads():
    """Each with a stream of its own, that it waits for."""
    results = [torch.zeros((), device="cuda") for _ in range(3)]
    x = numbers()
    torch.cuda.synchronize()

    def work(number):
        with torch.cuda.stream(torch.cuda.Stream()):
            for _ in range(4):
                results[number] += (x * number).sum()
            torch.cuda.current_stream().synchronize()

    made = [threading.Thread(target=work, args=(it,)) for it in range(3)]
    for thread in made:
        thread.start()
    for thread in made:
        thread.join()
    return sum(results)


def ring_of_buffers():
    """A producer goes on when the consumer has read; streams of two priorities."""
    producer, consumer = torch.cuda.Stream(priority=-1), torch.cuda.Stream()
    ring = torch.zeros(3, SIZE, device="cuda")
    total = torch.zeros(SIZE, device="cuda")
    for stream in (producer, consumer):
        stream.wait_stream(torch.cuda.current_stream())
    read = [torch.cuda.Event() for _ in ring]
    for number in range(9):
        slot = number % len(ring)
        producer.wait_event(read[slot])
        with torch.cuda.stream(producer):
            ring[slot].fill_(number).sqrt_()
            made = producer.record_event()
        consumer.wait_event(made)
        with torch.cuda.stream(consumer):
            total += ring[slot]
            read[slot].record()
    join([producer, consumer])
    return total.sum()


def freed_behind_replays():
    """Memory that copies and fills of a graph use is given back while replays are under way, which the driver waits for."""
    total = torch.zeros(1, device="cuda")
    for _ in range(3):
        source, copied = (torch.ones(1 << 21, device="cuda") for _ in range(2))
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            part = torch.zeros(1 << 21, device="cuda")
            copied.copy_(source + part)
            total += copied.mean()
        graph.replay()
        graph.replay()
        graph.reset()
        del source, copied, part, graph
        torch.cuda.empty_cache()
    return total.sum()


CASES = (
    there_and_back,
    chain_of_events,
    fan_out,
    double_buffer,
    one_pinned_buffer,
    recorded_temporaries,
    freed_after_a_wait,
    read_back,
    polled,
    ping_pong,
    pipeline,
    backward,
    averages_beside_training,
    forked_capture,
    replays_on_a_stream,
    two_graphs_in_turn,
    draws,
    counted_sizes,
    threads,
    ring_of_buffers,
    freed_behind_replays,
)


def main():
    for case in CASES:
        torch.manual_seed(1)
        print(case.__name__, case().item())


if __name__ == "__main__":
    main()
