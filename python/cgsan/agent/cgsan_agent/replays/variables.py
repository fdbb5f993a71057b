"""Variables that lead to outputs of a graph, and what is told of one that keeps an output."""

from . import frames, spots

# Entries of a tuple that are looked at.
ENTRIES = 16


def holding(tensors, frame, outputs):
    """The variables of a function alone, or of a module, that lead to one of `outputs`, addresses: each with the address."""
    for name, value in _own(frame):
        address = tensors.of_tensor(value)
        if address in outputs:
            yield name, address


def holding_in_tuples(tensors, frame, outputs):
    """The same of those that lead to tuples, each with the numbers of the entries that are one of them."""
    for name, value in _own(frame):
        if type(value) is not tuple or len(value) > ENTRIES:
            continue
        addresses = [tensors.of_tensor(it) for it in value]
        entries = tuple(at for at, address in enumerate(addresses) if address in outputs)
        if entries:
            yield name, entries, addresses[entries[0]]


def _own(frame):
    """The variables of a function that it shares with no other one, or those of a module."""
    if not frames.is_function(frame):
        return list(frame.f_globals.items())
    shared = frame.f_code.co_cellvars + frame.f_code.co_freevars
    return [(name, it) for name, it in frames.variables(frame).items() if name not in shared]


def kept(spot, kind, address, code, offset):
    """What is told of a variable of `code` or an attribute, which got the output up to an instruction if one is given, and of what it is."""
    return _kept(spot.text(), kind, address, code, spots.line_of_last_set(code, offset, spot))


def kept_result(text, address, code, line):
    """What is told of the result of a call that a statement of `code` still has to use, and of the line of the call."""
    return _kept(text, "result", address, code, line)


def _kept(name, kind, address, code, line):
    return {
        "name": name,
        "type_name": kind,
        "entries": 1,
        "address": address,
        "added": (code.co_filename, line),
    }
