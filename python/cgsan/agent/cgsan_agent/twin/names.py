"""What the region calls the tensors that it finds in place of those of the capture."""

from ..replays import paths, search
from ..replays.tensors import Tensors


def add(differences, source, variables):
    """Adds the name of a variable to each difference of tensors that it leads to."""
    tensors = Tensors()
    names = of_region(source, variables)
    for difference in differences:
        if difference["kind"] != "tensor":
            continue
        for name, value in names.items():
            if tensors.of_tensor(value) == difference["address_now"]:
                difference["name"] = name
                break


def storages(values):
    """Where the storages begin of tensors that values are, or that lie in lists, tuples and dictionaries among them."""
    tensors = Tensors()
    found, seen, queue = set(), set(), list(values)
    while queue:
        value = queue.pop()
        if tensors.is_tensor(value):
            found.add(tensors.storage(value))
        elif type(value) in (dict, list, tuple) and id(value) not in seen:
            seen.add(id(value))
            queue.extend(value.values() if type(value) is dict else value)
    return found


def of_tensor(tensor, source, variables):
    """The expression that leads to a tensor from the variables of a region; None if there is none."""
    beginnings = [search.Root(of_region(source, variables))]
    ways = (
        search.path_to(visited, step)
        for visited, step, it in search.walk(beginnings)
        if it is tensor
    )
    return next((paths.text(way) for way in ways), None)


def of_region(source, variables):
    """What the variables of a region lead to."""
    if source.is_function():
        return variables
    used = source.names()
    return {name: value for name, value in list(source.globals.items()) if name in used}


def of_region_and_module(source, variables):
    """The same, with the variables of its module that the statements of a region of a function use."""
    shared = source.globals
    return {**{name: shared[name] for name in source.names() if name in shared}, **variables}
