"""What a region gives to the names that outlive it: the operators that made the tensors which they lead to."""

from ..replays import paths, search
from ..replays.tensors import Tensors
from . import names


def of_region(source, variables, made):
    """By expressions that lead to tensors once the region has run, with these variables, what made each: the number of an operator, or
    where its storage begins. `made` has the numbers by where storages begin."""
    within = source.names_within()
    own = names.of_region_and_module(source, variables if source.is_function() else {})
    roots = [search.Root({name: it for name, it in own.items() if name not in within})]
    tensors = Tensors()
    found = {}
    with tensors.undispatched():
        for visited, step, value in search.walk(roots):
            address = tensors.of_tensor(value)
            if address is not None:
                found.setdefault(
                    paths.text(search.path_to(visited, step)), made.get(address, address)
                )
    return found
