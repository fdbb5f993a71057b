"""Where Python's own iterators stand, read without taking anything from them."""

import gc
import itertools
import sys
import types
from collections import deque

# A list may grow while it is gone through, so what counts is the next one's place.
_OF_LIST = type(iter([]))
# Other iterators that know how many items are left, or how many there were.
_COUNTED = frozenset(
    type(it)
    for it in (
        *(iter(()), iter(""), iter(b""), iter(bytearray()), iter(range(0))),
        *(iter(range(1 << 80)), iter(set()), iter(deque()), reversed([]), reversed(deque())),
        *(iter({}), iter({}.values()), iter({}.items()), reversed({}), reversed(())),
        itertools.repeat(0, 0),
    )
)
# Iterators that stand where those stand that they take from.
_OTHERS = frozenset(
    (
        *(enumerate, filter, map, zip, itertools.accumulate, itertools.chain),
        *(itertools.compress, itertools.dropwhile, itertools.filterfalse, itertools.groupby),
        *(itertools.islice, itertools.pairwise, itertools.starmap, itertools.takewhile),
        *(itertools.zip_longest,),
    )
)
# What says where these stand warns from Python 3.12 on.
_CYCLES = frozenset((itertools.cycle,) if sys.version_info < (3, 12) else ())
KINDS = _COUNTED | _OTHERS | _CYCLES | {_OF_LIST, itertools.count, types.GeneratorType}
_PLAIN = frozenset((int, float, bool, str, type(None)))
# Iterators that are looked at, one inside of the other.
DEPTH = 8


def position(value):
    """A number for where an iterator stands; None for what is no iterator, or one of which that is not known."""
    if type(value) not in KINDS:
        return None
    try:
        return hash(_position(value, DEPTH))
    except (LookupError, TypeError):
        return None


def _position(value, depth):
    kind = type(value)
    if kind not in KINDS or depth == 0:
        raise LookupError
    if kind in _COUNTED:
        return kind.__length_hint__(value)
    if kind is _OF_LIST:
        _, _, *place = value.__reduce__()
        return tuple(place)
    if kind is itertools.count:
        return repr(value)
    if kind is types.GeneratorType:
        return _of_generator(value, depth)
    if kind in _CYCLES:
        _, (inner,), (saved, _) = value.__reduce__()
        return len(saved), _position(inner, depth - 1)
    return tuple(_position(it, depth - 1) for it in _taken_from(value))


def _taken_from(value):
    """The iterators that another one takes from."""
    for it in gc.get_referents(value):
        yield from (inner for inner in (it if type(it) is tuple else (it,)) if type(inner) in KINDS)


def _of_generator(generator, depth):
    """Where its code stands, with what its variables hold and its loops go through."""
    if generator.gi_running:
        raise LookupError
    frame = generator.gi_frame
    if frame is None:
        return "over"
    found = [frame.f_lasti]
    for it in gc.get_referents(generator):
        # Python 3.10 keeps the variables in the frame.
        for inner in gc.get_referents(it) if it is frame else (it,):
            if type(inner) in _PLAIN:
                found.append(inner)
            elif type(inner) in KINDS:
                found.append(_position(inner, depth - 1))
    return tuple(found)
