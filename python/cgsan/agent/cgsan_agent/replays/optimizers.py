"""Optimizers: their numbers, which a captured step goes on with, and the gradients of their parameters."""

import sys
import weakref

from . import gradients, paths

# Optimizers looked after for one graph, parameters that are told of each changed group, and gradients and tensors of a state told of
# each graph.
OPTIMIZERS = 32
PARAMETERS = 8
GRADIENTS = 1_000
STATES = 1_000
# What is told of a number that was a tensor of the GPU.
TENSOR = "a tensor"


class _OfTensor:
    """A number that is what a tensor of the GPU holds."""

    def __init__(self, storage):
        self.storage = storage

    def __eq__(self, other):
        return type(other) is _OfTensor

    def __hash__(self):
        return hash(_OfTensor)

    def __repr__(self):
        return TENSOR


class Optimizers:
    """Those that a capture may have called, each referred to weakly, with the numbers of their groups at its end."""

    def __init__(self, tensors):
        self._tensors = tensors
        self._known = {}
        self._told = set()
        # By place, the first number that took the place of a tensor.
        self._first = {}

    def meet(self, optimizer, name):
        """Takes note of an optimizer that a name of the program leads to."""
        if id(optimizer) not in self._known and len(self._known) < OPTIMIZERS:
            numbers = [self._numbers(optimizer, group) for group in _groups(optimizer)]
            self._known[id(optimizer)] = weakref.ref(optimizer), name, numbers

    def gradients_in(self, captured):
        """The parameters whose gradient has one of these storages, which the capture made or used."""
        found = {}
        for reference, _, _ in self._known.values():
            optimizer = reference()
            own = parameters_of(self._tensors, optimizer) if optimizer is not None else ()
            for parameter in own:
                grad = gradients.of_leaf(parameter)
                address = None if grad is None else self._tensors.storage(grad)
                if address in captured and len(found) < GRADIENTS:
                    found[address] = self._tensors.storage(parameter)
        return [{"gradient": grad, "parameter": own} for grad, own in found.items() if own]

    def states(self, names):
        """The names and the storages of the tensors that optimizers keep for parameters, such as moments; `names` are what the program
        calls those parameters, by their storages."""
        found = []
        for reference, name, _ in self._known.values():
            optimizer = reference()
            state = paths.attributes(optimizer).get("state") if optimizer is not None else None
            for parameter, kept in list(state.items()) if isinstance(state, dict) else []:
                owner = names.get(self._storage(parameter))
                for key, value in list(kept.items()) if owner and type(kept) is dict else []:
                    storage = self._storage(value)
                    if storage and len(found) < STATES:
                        found.append((f"{name}.state[{owner}][{key!r}]", storage))
        return found

    def _storage(self, value):
        return self._tensors.storage(value) if self._tensors.is_tensor(value) else None

    def changes(self):
        """The numbers that are others now, as far as that was not told yet."""
        found = []
        for reference, name, numbers in self._known.values():
            optimizer = reference()
            groups = _groups(optimizer) if optimizer is not None else []
            for index, (captured, group) in enumerate(zip(numbers, groups, strict=False)):
                now = self._numbers(optimizer, group, of_now=True)
                for key, value in captured.items():
                    place = f"{name}.param_groups[{index}][{key!r}]"
                    if now.get(key, value) == value or place in self._told:
                        continue
                    if _steps_as_pytorch(type(optimizer)):
                        storages = self._parameters_of(group)
                    elif self._first.setdefault(place, now[key]) != now[key]:
                        storages = [value.storage]
                    else:
                        continue
                    self._told.add(place)
                    found.append(_describe(place, key, value, now[key], storages))
        return found

    def _numbers(self, optimizer, group, of_now=False):
        """The numbers that a step computes with: those that the optimizer has defaults for. Others are a scheduler's. Of a step that is
        not PyTorch's, those that are tensors: what it does with others is not known."""
        steps_as_pytorch = _steps_as_pytorch(type(optimizer))
        defaults = paths.attributes(optimizer).get("defaults")
        defaults = defaults if type(defaults) is dict else {}
        found = {}
        for key, value in list(group.items()):
            if type(key) is not str or key not in defaults:
                continue
            if _is_plain(value) and (steps_as_pytorch or of_now):
                found[key] = value
            elif self._tensors.is_tensor(value) and value.is_cuda:
                found[key] = _OfTensor(self._tensors.storage(value))
        return found

    def _parameters_of(self, group):
        parameters = _parameters(self._tensors, group)[:PARAMETERS]
        storages = [self._tensors.storage(it) for it in parameters]
        return [it for it in storages if it]


def _describe(name, key, captured, now, storages):
    return {
        "name": name,
        "key": key,
        "captured": repr(captured),
        "now": repr(now),
        "parameters": storages,
    }


def is_optimizer(kind):
    """Whether objects of a class are optimizers of PyTorch's, or derived from those."""
    optim = sys.modules.get("torch.optim")
    return optim is not None and issubclass(kind, optim.Optimizer)


def parameters_of(tensors, optimizer):
    """The parameters of an optimizer."""
    return [it for group in _groups(optimizer) for it in _parameters(tensors, group)]


def _parameters(tensors, group):
    parameters = group.get("params")
    parameters = parameters if type(parameters) is list else []
    return [it for it in parameters if tensors.is_tensor(it)]


def _steps_as_pytorch(kind):
    """Whether its step is PyTorch's own: what others do with their numbers is not known."""
    module = getattr(kind.step, "__module__", None)
    return type(module) is str and module.startswith("torch.optim.")


def _groups(optimizer):
    groups = paths.attributes(optimizer).get("param_groups")
    return [it for it in groups if type(it) is dict] if type(groups) is list else []


def _is_plain(value):
    if type(value) is tuple:
        return all(type(it) in (int, float) for it in value)
    return type(value) in (int, float)
