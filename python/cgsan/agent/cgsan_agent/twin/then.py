"""What a region did when its capture began, as it is kept."""

import dataclasses
import marshal
import zlib


@dataclasses.dataclass
class Then:
    """What a child answered that ran the region at the capture."""

    operators: list
    # Why these are not all.
    stopped: str | None
    # Of the parameters that it used, those that had a gradient, each with the storage of that.
    had_gradients: list
    # Where the program asked first if a capture runs.
    asked: tuple
    # The modes that it was captured in, and whether the modules that it called were in training.
    modes: dict
    training: dict
    # The hooks of those modules and of its parameters, and the number of the next one.
    hooks: dict
    next_hook: int
    # Which of the tensors that it used required gradients.
    learning: list
    # The values of the host that it moves on each time it runs, each with the line.
    steps: list
    # Whether it drew random numbers on the host.
    draws: bool
    # The numbers that it could come upon, by the expressions that lead to them.
    numbers: list
    # Of the values that its callers were given in containers, those that it could come upon, and the ways to them.
    given: list
    # What its calls led to, by their places.
    calls: list
    # What the functions that it called were given.
    arguments: list
    # By expressions that lead to tensors that it made, which operators those were.
    outputs: dict
    # What structures held that kernels were given, and the numbers that expressions led to then.
    unknown: list
    led: list

    def as_plain(self):
        """What can be marshalled of it."""
        return tuple(getattr(self, it.name) for it in dataclasses.fields(self))

    def work(self):
        """What is compared."""
        return self.operators, self.stopped, self.outputs


def unpacked(kept):
    """What was kept as bytes."""
    return Then(*marshal.loads(zlib.decompress(kept)))
