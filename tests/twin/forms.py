"""Regions in all the forms in which a capture can be begun by a `with` statement. Each is replayed twice, and does at the replays what
it did at the capture."""

import contextlib
import functools
import logging
import tempfile

import torch

x = torch.ones(4, device="cuda")
total = torch.zeros(4, device="cuda")
torch.cuda.synchronize()
SCALE = 2.0


def replayed(graph):
    graph.replay()
    graph.replay()


def graph_of(name):
    print(name)
    return torch.cuda.CUDAGraph()


def several_items():
    graph = graph_of("several items")
    with torch.no_grad(), torch.cuda.graph(graph), torch.autocast("cuda", enabled=False):
        y = x * SCALE
    replayed(graph)
    return y


@contextlib.contextmanager
def capturing(graph):
    with torch.cuda.graph(graph):
        yield graph


def own_context_manager():
    graph = graph_of("own context manager")
    with capturing(graph):
        total.add_(x)
    replayed(graph)


class Capturing:
    def __init__(self, graph):
        self.inner = torch.cuda.graph(graph)

    def __enter__(self):
        self.inner.__enter__()
        return self

    def __exit__(self, *exception):
        return self.inner.__exit__(*exception)


def own_class():
    graph = graph_of("own class")
    with Capturing(graph) as it:
        y = x.exp()
    replayed(graph)
    return it, y


def graphed(function):
    graph = graph_of("decorator")

    @functools.wraps(function)
    def wrapper(*arguments):
        with torch.cuda.graph(graph):
            result = function(*arguments)
        replayed(graph)
        return result

    return wrapper


def inner_functions():
    graph = graph_of("inner functions")
    factors = [1.0, 2.0, 3.0]
    with torch.cuda.graph(graph):

        def scaled(factor):
            return x * factor * SCALE

        parts = [scaled(factor) for factor in factors]
        y = functools.reduce(lambda a, b: a + b, parts)
    replayed(graph)
    return y


class Base:
    def step(self):
        return x + 1.0


class Derived(Base):
    def __init__(self):
        self.__factor = 3.0

    def step(self):
        graph = graph_of("methods")
        with torch.cuda.graph(graph):
            y = super().step() * self.__factor
        replayed(graph)
        return y


def loops():
    for number in range(3):
        graph = graph_of("loops")
        with torch.cuda.graph(graph):
            y = x * float(number)
            if number == 1:
                continue
        replayed(graph)
    return y


counted = 0


def global_names():
    global counted
    graph = graph_of("global names")
    with torch.cuda.graph(graph):
        counted += 1
        y = x.relu()
    replayed(graph)
    return y


def gradients():
    graph = graph_of("gradients")
    model = torch.nn.Linear(4, 4).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(2):
            model(x).sum().backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
    torch.cuda.current_stream().wait_stream(side)
    with torch.cuda.graph(graph):
        loss = model(x).sum()
        loss.backward()
        optimizer.step()
    replayed(graph)


def forked_streams():
    graph = graph_of("forked streams")
    side = torch.cuda.Stream()
    with torch.cuda.graph(graph):
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            left = x * 3.0
        right = x * 4.0
        torch.cuda.current_stream().wait_stream(side)
        y = left + right
    replayed(graph)
    return y


def writes_a_log():
    graph = graph_of("writes a log")
    with tempfile.NamedTemporaryFile("r") as file:
        handler = logging.FileHandler(file.name)
        logging.getLogger().addHandler(handler)
        with torch.cuda.graph(graph):
            logging.warning("captured")
            y = x * SCALE
        replayed(graph)
        logging.getLogger().removeHandler(handler)
        handler.close()
        assert file.read() == "captured\n"
    return y


several_items()
own_context_manager()
own_class()
graphed(lambda a, b: a * b)(x, total)
inner_functions()
Derived().step()
loops()
global_names()
gradients()
forked_streams()
writes_a_log()
graph = graph_of("module")
with torch.cuda.graph(graph):
    y = x.sin() + x.cos()
replayed(graph)
function = torch.cuda.make_graphed_callables(lambda value: value.tanh() * 2.0, (x,))
print("graphed callable")
function(x)
function(x)
