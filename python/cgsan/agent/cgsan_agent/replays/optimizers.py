"""Numbers of PyTorch's optimizers, which a captured step goes on with."""

import sys
import weakref

from . import paths

# Optimizers looked after for one graph, and parameters that are told of each group.
OPTIMIZERS = 32
PARAMETERS = 8


class Optimizers:
    """Those that a capture may have called, each referred to weakly, with the numbers of their groups at its end."""

    def __init__(self, tensors):
        self._tensors = tensors
        self._known = {}
        self._told = set()

    def meet(self, optimizer, name):
        """Takes note of an optimizer that a name of the program leads to."""
        if id(optimizer) not in self._known and len(self._known) < OPTIMIZERS:
            numbers = [_numbers(optimizer, group) for group in _groups(optimizer)]
            self._known[id(optimizer)] = weakref.ref(optimizer), name, numbers

    def changes(self):
        """The numbers that are others now, as far as that was not told yet."""
        found = []
        for reference, name, numbers in self._known.values():
            optimizer = reference()
            groups = _groups(optimizer) if optimizer is not None else []
            for index, (captured, group) in enumerate(zip(numbers, groups, strict=False)):
                now = _numbers(optimizer, group)
                for key, value in captured.items():
                    place = f"{name}.param_groups[{index}][{key!r}]"
                    if now.get(key, value) != value and place not in self._told:
                        self._told.add(place)
                        found.append(self._describe(place, key, value, now[key], group))
        return found

    def _describe(self, name, key, captured, now, group):
        parameters = [it for it in group["params"] if self._tensors.is_tensor(it)]
        storages = [self._tensors.storage(it) for it in parameters[:PARAMETERS]]
        return {
            "name": name,
            "key": key,
            "captured": repr(captured),
            "now": repr(now),
            "parameters": [it for it in storages if it],
        }


def is_one(kind):
    """Whether a class is an optimizer whose step is PyTorch's own: what others do with their numbers is not known."""
    optim = sys.modules.get("torch.optim")
    if optim is None or not issubclass(kind, optim.Optimizer):
        return False
    module = getattr(kind.step, "__module__", None)
    return type(module) is str and module.startswith("torch.optim.")


def _groups(optimizer):
    groups = paths.attributes(optimizer).get("param_groups")
    return [it for it in groups if type(it) is dict] if type(groups) is list else []


def _numbers(optimizer, group):
    """The numbers that a step computes with: those that the optimizer has defaults for. Others are a scheduler's."""
    defaults = paths.attributes(optimizer).get("defaults")
    defaults = defaults if type(defaults) is dict else {}
    return {
        key: value
        for key, value in list(group.items())
        if type(key) is str and key in defaults and _is_plain(value)
    }


def _is_plain(value):
    if type(value) is tuple:
        return all(type(it) in (int, float) for it in value)
    return type(value) in (int, float)
