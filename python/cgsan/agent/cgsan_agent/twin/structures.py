"""Numbers in structures that kernels are given, where nothing tells which bytes of them are one: gaps between fields hold anything.

So a number is told only where an expression of the program led to what lay there at the capture, and leads now to what lies there now.
"""

import struct

from . import compare, numbers

# How the bytes of a word are read, each with where that begins there.
FORMS = (("=d", 0), ("=f", 0), ("=f", 4))


def led(twin, source, variables):
    """The numbers that expressions lead to, each with its expression, if a kernel of the region may be given one of them."""
    return numbers.of_region(source, variables, only_own=False) if twin.unknown else []


def differences(then, now, others, source, variables):
    """As those of `compare`, of two runs of a region that have no other. `others` are those of other graphs of the same place, of which one
    may have been captured with what is given now."""
    found = []
    if [it[0] for it in then.operators] != [it[0] for it in now.operators]:
        return found
    before, after = _words(then), _words(now)
    changed = [place for place in before if before[place] != after.get(place, before[place])]
    changed = [it for it in changed if all(_words(other).get(it) != after[it] for other in others)]
    if not changed:
        return found
    values = dict(led(now, source, variables))
    pairs = [(name, value, values[name]) for name, value in then.led if name in values]
    for place in changed:
        operator, parameter, offset = place
        for form, start in FORMS:
            sides = [struct.unpack_from(form, it[place], start)[0] for it in (before, after)]
            names = [it for it in pairs if it[1] != it[2] and _are(form, it[1:], sides)]
            if names:
                found.append(_difference(then, now, (operator, parameter, offset + start), names))
    return found


def _words(run):
    return {(operator, *place): it for operator, *place, it in run.unknown}


def _are(form, values, given):
    """Whether a kernel was given these numbers in this form."""
    try:
        return [struct.unpack(form, struct.pack(form, it))[0] for it in values] == given
    except (struct.error, OverflowError):
        return False


def _difference(then, now, place, names):
    operator, parameter, offset = place
    name, captured, eager = names[0]
    sides = ((run.operators[operator][0], run.operators[operator][2]) for run in (then, now))
    before, after = (compare.side_of(*it) for it in sides)
    difference = {
        "kind": "field",
        "captured": repr(captured),
        "eager": repr(eager),
        "address": offset,
        "address_now": parameter,
        "then": before,
        "now": after,
    }
    return {**difference, "name": name} if len(names) == 1 else difference
