"""Have workers do the same with many things. Each engine is a function `results(work, items, workers, address)`.

It gives what `work(item)` gives, for each item, in any order, as it comes. An item whose worker was killed is given to another
one.
"""

import importlib

NAMES = {"local": "local", "ray": "ray_tasks", "spark": "spark_job"}


def named(name):
    """The engine of a name."""
    return importlib.import_module(f".{NAMES[name]}", __name__).results
