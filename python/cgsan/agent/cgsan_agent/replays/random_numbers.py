"""The states of Python's and NumPy's generators of random numbers."""

import random
import sys

# What Python's functions share, and NumPy's, with the names to show.
PYTHON, NUMPY = "Python's random numbers", "NumPy's random numbers"


def shared():
    """The generators that functions of a module share, by what to call them."""
    found = {}
    python = getattr(random, "_inst", None)
    if type(python) is random.Random:
        found[PYTHON] = python
    numpy = getattr(sys.modules.get("numpy.random.mtrand"), "_rand", None)
    if numpy is not None:
        found[NUMPY] = numpy
    return found


def state(value):
    """A number for the state of a generator; None for what is no generator."""
    if type(value) is random.Random:
        return hash(value.getstate())
    numpy = sys.modules.get("numpy.random")
    if numpy is None:
        return None
    if type(value) is getattr(numpy, "Generator", None):
        return hash(repr(value.bit_generator.state))
    if type(value) is getattr(numpy, "RandomState", None):
        inside = value.get_state()
        return hash((inside[1].tobytes(), *inside[2:]))
    return None
