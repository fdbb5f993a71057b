"""Variables that lead to outputs of a graph, and what is told of one that keeps an output."""

from . import frames, spots


def holding(tensors, frame, outputs):
    """The variables of a function alone, or of a module, that lead to one of `outputs`, addresses: each with the address."""
    if frames.is_function(frame):
        shared = frame.f_code.co_cellvars + frame.f_code.co_freevars
        variables = frames.variables(frame)
    else:
        shared = ()
        variables = frame.f_globals
    for name, value in list(variables.items()):
        if name not in shared:
            address = tensors.of_tensor(value)
            if address in outputs:
                yield name, address


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
