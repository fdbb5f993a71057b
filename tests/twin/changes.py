"""Regions that give an operator a number that they find in different places. Before the sixth replay of each, and not before, another
number is there. Prints the name of each."""

import collections
import dataclasses
import enum
import functools
import itertools
import os
import types

import torch

# Each number is there once, so that no region does what another does.
numbers = (it + 0.5 for it in itertools.count(2))


def two_numbers():
    return next(numbers), next(numbers)


class Slotted:
    __slots__ = "number"


class Counter:
    """What no look from outside tells the state of."""

    def __init__(self, *values):
        self.values = iter(values)
        self.now = None

    def look(self):
        self.now = next(self.values)


@dataclasses.dataclass
class Settings:
    number: float
    inner: object = None


class Which(enum.Enum):
    FIRST = enum.auto()
    SECOND = enum.auto()


def of_a_closure():
    number, other = two_numbers()

    def change():
        nonlocal number
        number = other

    return lambda: number, change


shared = 1.0


def of_the_module():
    global shared
    shared, other = two_numbers()

    def change():
        global shared
        shared = other

    return lambda: shared, change


def of_an_object():
    number, other = two_numbers()
    settings = Settings(0, Settings(number))
    return (lambda: settings.inner.number), lambda: setattr(settings.inner, "number", other)


def of_a_slot():
    number, other = two_numbers()
    slotted = Slotted()
    slotted.number = number
    return (lambda: slotted.number), lambda: setattr(slotted, "number", other)


def of_a_class():
    class Own:
        number, other = two_numbers()

    return (lambda: Own.number), lambda: setattr(Own, "number", Own.other)


def of_a_method():
    class Own:
        def __init__(self):
            self.number, self.other = two_numbers()

        def scale(self):
            return self.number

        def change(self):
            self.number = self.other

    own = Own()
    return own.scale, own.change


def of_a_function():
    number, other = two_numbers()

    def scale(number=number):
        return number

    return scale, lambda: setattr(scale, "__defaults__", (other,))


def of_a_list():
    number, other = two_numbers()
    values = [[0, number]]
    return (lambda: values[0][1]), lambda: values[0].__setitem__(1, other)


def of_a_queue():
    number, other = two_numbers()
    values = collections.deque([number])
    return (lambda: values[-1]), lambda: values.append(other)


def of_a_table():
    number, other = two_numbers()
    values = collections.OrderedDict(number=number)
    return (lambda: values["number"]), lambda: values.update(number=other)


def of_a_set():
    number, other = two_numbers()
    values = {number}
    return (lambda: max(values)), lambda: values.add(other)


def of_its_sign():
    number = -1
    space = types.SimpleNamespace(number=number)
    return (lambda: 100 + space.number), lambda: setattr(space, "number", -2)


def of_its_type():
    space = types.SimpleNamespace(number=1)
    return (
        lambda: 200 + isinstance(space.number, bool),
        lambda: setattr(space, "number", True),
    )


def of_a_choice():
    numbers = dict(zip(Which, two_numbers(), strict=True))
    space = types.SimpleNamespace(which=Which.FIRST)
    return (lambda: numbers[space.which]), lambda: setattr(space, "which", Which.SECOND)


def of_a_part():
    number, other = two_numbers()
    values = [number]
    return functools.partial(values.__getitem__, 0), lambda: values.__setitem__(0, other)


def of_a_property():
    class Own:
        hidden, other = two_numbers()
        number = property(lambda self: self.hidden)

    own = Own()
    return (lambda: own.number), lambda: setattr(own, "hidden", own.other)


def of_a_tensor_of_the_host():
    number, other = two_numbers()
    value = torch.tensor(number)
    return value.item, lambda: value.fill_(other)


def of_a_module():
    module = torch.nn.Module()
    module.factors = torch.nn.Sequential(torch.nn.Dropout(0.5))
    number, other = two_numbers()
    return (lambda: number if module.factors[0].training else other), module.eval


def of_a_group_of_an_optimizer():
    number, other = two_numbers()
    optimizer = torch.optim.SGD([torch.zeros(1, device="cuda")], lr=number)
    group = optimizer.param_groups[0]
    return (lambda: optimizer.param_groups[0]["lr"]), lambda: group.update(lr=other)


def of_the_environment():
    number, other = two_numbers()
    os.environ["TWIN_NUMBER"] = str(number)
    change = functools.partial(os.environ.__setitem__, "TWIN_NUMBER", str(other))
    return (lambda: float(os.environ["TWIN_NUMBER"])), change


def of_an_iterator():
    counter = Counter(*two_numbers())
    counter.look()
    return (lambda: counter.now), counter.look


def of_a_mode_of_torch():
    number, other = two_numbers()
    change = functools.partial(torch.use_deterministic_algorithms, True)
    return (lambda: other if torch.are_deterministic_algorithms_enabled() else number), change


def replayed(scale, change):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        x * scale()
    for _ in range(5):
        graph.replay()
    change()
    graph.replay()
    return graph


x = torch.ones(8, device="cuda")
kept = []
for make in [it for name, it in list(globals().items()) if name.startswith("of_")]:
    kept.append(replayed(*make()))
    print(make.__name__)
