"""Replays and eager operators on two streams of which nothing makes the one wait for the other; and the same with what orders them."""

import torch

side = torch.cuda.Stream()


def captured(x):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x * 2  # reads, writes
    return graph, y


def input_not_written():
    x = torch.zeros(4, device="cuda")
    graph, y = captured(x)
    with torch.cuda.stream(side):
        x.add_(1)  # input
    graph.replay()  # too early
    print(y.sum().item())


def input_overwritten():
    x = torch.zeros(4, device="cuda")
    graph, y = captured(x)
    graph.replay()  # overtaken
    with torch.cuda.stream(side):
        x.copy_(torch.ones(4, device="cuda"))  # overtakes
    print(y.sum().item())


def result_not_written():
    x = torch.zeros(4, device="cuda")
    graph, y = captured(x)
    side.wait_stream(torch.cuda.current_stream())
    graph.replay()  # awaited too early
    with torch.cuda.stream(side):
        print((y + 1).sum().item())  # result


def in_order():
    """Streams that wait, an event, the host, and operators on other elements."""
    x = torch.zeros(4, device="cuda")
    graph, y = captured(x[:2])
    for _ in range(2):
        with torch.cuda.stream(side):
            x.add_(1)
        torch.cuda.current_stream().wait_stream(side)
        graph.replay()
        done = torch.cuda.Event()
        done.record()
        with torch.cuda.stream(side):
            x[2:].fill_(3)
            side.wait_event(done)
            print((y + 1).sum().item())
            x.copy_(torch.ones(4, device="cuda"))
        torch.cuda.current_stream().wait_stream(side)
        graph.replay()
        torch.cuda.synchronize()
        with torch.cuda.stream(side):
            x.fill_(y.sum().item())
        torch.cuda.current_stream().wait_stream(side)


for scene in (input_not_written, input_overwritten, result_not_written, in_order):
    scene()
    torch.cuda.synchronize()
