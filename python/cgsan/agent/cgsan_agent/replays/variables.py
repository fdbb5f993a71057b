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
    return {
        "name": spot.text(),
        "type_name": kind,
        "entries": 1,
        "address": address,
        "added": (code.co_filename, spots.line_of_last_set(code, offset, spot)),
    }
