"""What keeps the Python object of a graph alive."""

import types

from . import frames, paths, search, stores


def of_graphs(graphs):
    """For each pair of a graph and its number: the number, with the name that leads to the graph."""
    stack = frames.of_stack()
    wanted = {id(graph): number for graph, number in graphs}
    found = {}
    for before, step, value in search.walk(search.roots(stack) + search.of_main()):
        number = wanted.get(id(value))
        if number is not None and number not in found:
            found[number] = _describe(before, step, stack)
            if len(found) == len(wanted):
                break
    return [
        {"graph": number, **found.get(number, {"name": None, "outlives": False})}
        for _, number in graphs
    ]


def _describe(before, step, stack):
    path = search.path_to(before, step)
    root = before.root
    line = stores.the_one(stores.find(path, stores.codes_of(stack) or _codes_of(root)))
    file = root.file or (line[0] if line else None)
    if line is None and root.module is not None:
        file = _file_of(root.variables)
    return {
        "name": paths.text(path),
        "outlives": _outlives(before),
        "file": line[0] if line else file,
        "line": line[1] if line else None,
    }


def _outlives(visited):
    """Whether the way leads through a class, or through a module other than the main one."""
    root = visited.root
    if root.module not in (None, "__main__"):
        return True
    while visited.before is not None:
        kind = type(visited.value)
        if issubclass(kind, type) or kind is types.ModuleType:
            return True
        visited = visited.before
    return False


def _codes_of(root):
    """The code of the functions and classes of a module, when none of it runs any more."""
    found = {}
    for value in list(root.variables.values()):
        stores._add_object(found, value)
    return list(found)


def _file_of(variables):
    file = variables.get("__file__")
    return file if type(file) is str else None
