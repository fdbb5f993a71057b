"""What the program calls the storages that a capture read or left alive, and where it holds them."""

import functools
import itertools

from . import bytecode, gradients, optimizers, paths, places, search, stores, weak

# Names kept of a graph: enough for the parameters of a large model.
NAMES = 2_000
# Names kept of one storage.
NAMES_EACH = 4
# Further steps into containers for outputs: results of several microbatches, by kind, are lists of dictionaries.
DEEPER = 2
# How often it is told that one name leads elsewhere: after that, it is clear that it does each time.
TOLD = 2

# What a storage is to a capture, as the recorder numbers it: read by it, made by it, read by a copy from the host, copied into by
# it, written by a copy to the host. What is copied into is an input too: it was there before. What the host is given has no kind:
# a name of it that leads elsewhere later is nothing to the graph.
INPUT, OUTPUT, HOST, COPIED_INTO, HOST_RESULT = 0, 1, 2, 3, 4
KINDS = {INPUT: "input", OUTPUT: "output", HOST: "host"}


class Named:
    """A place that held a tensor of a captured storage."""

    __slots__ = (
        "_tensor",
        "address",
        "dtype",
        "is_parameter",
        "kind",
        "on_gpu",
        "place",
        "shape",
        "told",
    )

    def __init__(self, place, kind, address, tensor, is_parameter):
        self.place = place
        self.is_parameter = is_parameter
        self.kind = kind
        self.address = address
        self.shape = tuple(tensor.shape)
        self.dtype = tensor.dtype
        self.on_gpu = tensor.is_cuda
        self._tensor = weak.Weak(tensor)
        # The addresses of the tensors that were told of as having taken its place.
        self.told = []

    def is_same(self, tensor):
        """Whether it is the tensor of the capture, with other memory: that of `.data = `."""
        return self._tensor() is tensor

    def describe(self):
        return {"name": self.place.name, "address": self.address, "kind": KINDS[self.kind]}


def find(tensors, beginnings, captured, meet, meet_optimizer):
    """The places at which the program holds tensors of these storages, a dictionary from address to kind.

    `meet` is called with the address and the kind of each that is found, the tensor, and what it is the gradient of, if it is one;
    `meet_optimizer` with each of PyTorch's optimizers and its name.
    """
    found = []
    names = {address: set() for address in captured}
    if not captured:
        return found
    ways = {}
    reached = []
    are_tensors = {}
    are_optimizers = {}
    for visited, step, value in search.walk(beginnings, deeper=DEEPER):
        kind = id(type(value))
        if kind not in are_tensors:
            are_tensors[kind] = tensors.is_tensor(value)
            are_optimizers[kind] = optimizers.is_optimizer(type(value))
        if are_optimizers[kind]:
            meet_optimizer(value, paths.text(search.path_to(visited, step)))
        if not are_tensors[kind]:
            ways.setdefault(id(value), []).append((visited, step))
            continue
        if visited.depth > search.DEPTH and captured.get(tensors.storage(value)) != OUTPUT:
            continue
        grad = gradients.of_leaf(value)
        address = None if grad is None else tensors.storage(grad)
        if address in names:
            meet(address, captured[address], grad, value)
        address = tensors.storage(value)
        if address not in names:
            continue
        meet(address, captured[address], value)
        if captured[address] not in KINDS:
            continue
        name = paths.text(search.path_to(visited, step))
        if name not in names[address] and len(names[address]) < NAMES_EACH and len(reached) < NAMES:
            names[address].add(name)
            reached.append((visited, step, address, value))
    for visited, step, address, value in reached:
        aliases = search.aliases(visited, ways)
        for way in itertools.islice((visited, *aliases), NAMES_EACH):
            place = places.Place(way, step, is_followed=True)
            is_parameter = tensors.is_parameter(value)
            found.append(Named(place, captured[address], address, value, is_parameter))
    return found


def names(named, captured, optimizers):
    """What the storages of a capture go by: the names of places, and of what optimizers keep for parameters that have one."""
    found = [it.describe() for it in named]
    of_parameters = {it.address: it.place.name for it in reversed(named)}
    for name, address in optimizers.states(of_parameters):
        if address not in of_parameters and captured.get(address) in KINDS:
            found.append({"name": name, "address": address, "kind": KINDS[captured[address]]})
    return found


def held(tensors, named, scopes):
    """The tensors that are at those places now: pairs of the place and the tensor."""
    found = ((entry, entry.place.value(scopes)) for entry in named)
    return [(entry, value) for entry, value in found if tensors.is_tensor(value)]


def around(named, scopes):
    """The containers that places have outputs in, by the addresses of these."""
    found = {}
    for entry in named:
        if entry.kind == OUTPUT:
            inside = {id(it): it for it in entry.place.containers(scopes)}
            found.setdefault(entry.address, {}).update(inside)
    return {address: list(containers.values()) for address, containers in found.items()}


def rebound(tensors, held, scopes, codes, captured):
    """What was bound to another tensor since the capture, as far as that was not told yet, where the names are used, and whether they
    led and lead to parameters.

    What was moved to another kind of memory was put away, and not replaced.

    `held` has pairs of a named place and the tensor that is there now; `captured` says where the frames were at the capture.
    """
    found = []
    holders = {}
    for entry, tensor in held:
        address = tensors.storage(tensor)
        if address == entry.address:
            holders.setdefault(address, []).append(entry.place)
        elif address is None or tensor.is_cuda != entry.on_gpu:
            continue
        elif address not in entry.told and len(entry.told) < TOLD:
            found.append((entry, address, tensor))
    names = [
        _describe(entry, address, tensor, holders.get(entry.address, []), scopes, codes, captured)
        for entry, address, tensor in found
    ]
    uses = functools.cache(lambda step: stores.uses(step, codes()))
    used = [_uses(entry.place, holders.get(entry.address, []), uses) for entry, _, _ in found]
    parameters = [
        {"then": entry.is_parameter, "now": tensors.is_parameter(tensor)}
        for entry, _, tensor in found
    ]
    return names, used, parameters


def _describe(entry, address, value, holders, scopes, codes, captured):
    entry.told.append(address)
    same_tensor = entry.is_same(value)
    file, line = _stored_at(entry.place, same_tensor, scopes, codes, captured)
    return {
        "name": entry.place.name,
        "kind": KINDS[entry.kind],
        "old": entry.address,
        "new": address,
        "same_tensor": same_tensor,
        "same_shape": tuple(value.shape) == entry.shape,
        "same_dtype": value.dtype == entry.dtype,
        "function": entry.place.function,
        "file": file,
        "line": line,
        "still_held_by": [place.name for place in holders],
    }


def _uses(place, holders, uses):
    """The lines that use the name which was rebound, and those that use what only its other names have; none if nothing holds it
    still."""
    before, *changed = place.changed_path()
    shared = {key for _, key in paths.steps(before)}
    still_held = {}
    for holder in holders:
        last, *others = holder.steps()
        # A variable of the same name as the attribute would be taken for it.
        own = [it for it in others if it[0] == paths.ATTRIBUTE or it[1] == changed[1]]
        for step in (last, *(it for it in own if it[1] not in shared)):
            still_held.update(dict.fromkeys(uses(step)))
    rebound = uses(tuple(changed)) if holders else []
    return {"rebound": rebound, "still_held": list(still_held)}


def _stored_at(place, same_tensor, scopes, codes, captured):
    """The file and line that most likely bound it anew: the nearest store before where a frame of the stack is."""
    own = place.holder_code()
    before, *step = place.changed_path()
    name = step[1]
    if same_tensor:
        step = (paths.ATTRIBUTE, "data")
    inner = stores.with_inner(own) if own and not same_tensor else codes()
    candidates = stores.find((None, *step), inner)
    if same_tensor:
        candidates = [it for it in candidates if it.base == name] or candidates
    holder = place.container(scopes)
    if place.changes_itself() and holder is not paths.MISSING and not same_tensor:
        candidates = stores.of_object(candidates, holder, place)
    if step[0] == paths.ATTRIBUTE and not same_tensor:
        # The object was there at the capture.
        candidates = [it for it in candidates if not it.sets_up()] or stores.of_states(inner)
    for frame in scopes.stack:
        found = [store for store in candidates if store.code is frame.f_code]
        holder_name = before and stores.last_name(before)
        found = [store for store in found if store.base == holder_name] or found
        if found:
            return frame.f_code.co_filename, _nearest(found, frame, captured)
    found = stores.the_one(candidates)
    return found if found is not None else (place.file, None)


def _nearest(found, frame, captured):
    """The line of the store that comes last before where the frame is, also once around a loop."""
    first, last = bytecode.loop_around(frame.f_code, frame.f_lasti)
    around = [store for store in found if first <= store.offset <= last]
    since = captured.get((id(frame), frame.f_code))
    if since is not None:
        found = [store for store in found if store in around or store.offset > since] or found
    before = [store for store in found if store.line <= (frame.f_lineno or 0)]
    return max(store.line for store in before or around or found)
