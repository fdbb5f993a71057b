"""Variables and attributes by which code remembers the output of one replay, such as the best one of a loop, for what comes behind a later
one.

The output is the same memory at each replay, so what is read there is the last one.
"""

from . import bytecode, frames, operands, paths, search, spots, stores, variables

# Places remembered of a graph: the variables of frames, and objects.
PLACES = 1_024


class Remembered:
    """What is known of the code that replays one graph: which of its variables and attributes led to outputs when they first did."""

    def __init__(self, tensors):
        self._tensors = tensors
        self._first = {}
        # By frame, the statement that it was in when the graph was replayed last.
        self._statements = {}
        self._told = set()

    def look(self, outputs, stack, codes):
        """The variables and attributes of frames in `stack` that got one of `outputs`, addresses, at an earlier replay, and keep it in vain.

        Gives for each, once, the name, what it is, the address, and where it got that. `codes` gives the program's code.
        """
        found = []
        for index, frame in enumerate(stack):
            if frames.origin(frame.f_code.co_filename) != frames.OWN:
                continue
            for place, held in self._held(frame, outputs):
                first = self._first.get(place)
                if first is None:
                    if len(self._first) < PLACES:
                        self._first[place] = {spot.own_name for spot in held}
                    continue
                for spot, address in held.items():
                    key = frame.f_code, spot, address
                    if spot.own_name in first or key in self._told:
                        continue
                    if _keeps_in_vain(frame, spot, stack, codes):
                        self._told.add(key)
                        kept = variables.kept(
                            spot, "variable", address, frame.f_code, frame.f_lasti
                        )
                        found.append(kept)
            if index:
                found.extend(self._beside(stack, index, outputs))
        return found

    def _beside(self, stack, index, outputs):
        """What a statement uses beside the result of the call in which the graph is replayed: that of an earlier call of the same function."""
        frame = stack[index]
        statement = operands.Statement(frame)
        key = id(frame), frame.f_code
        earlier = self._statements.get(key)
        if earlier is not None or len(self._statements) < PLACES:
            self._statements[key] = statement
        called = frame.f_code, statement.place
        if called in self._told:
            return []
        held = [
            (spots.Spot(name), address)
            for name, address in variables.holding(self._tensors, frame, outputs)
            if statement.reads_beside(name)
        ]
        held = [it for it in held if (frame.f_code, *it) not in self._told]
        is_beside = earlier is not None and statement.has_earlier(earlier)
        if not held and not is_beside:
            return []
        given = operands.given_back(stack, index - 1, self._tensors.of_tensor)
        if given not in outputs:
            return []
        self._told.add(called)
        if is_beside:
            return [variables.kept_result(statement.text(), given, frame.f_code, earlier.line)]
        spot, address = held[0]
        return [variables.kept(spot, "variable", address, frame.f_code, frame.f_lasti)]

    def _held(self, frame, outputs):
        """The variables of a frame, and the attributes of what they lead to, that lead to outputs: by what has them."""
        own = variables.holding(self._tensors, frame, outputs)
        held = {spots.Spot(name): address for name, address in own}
        in_tuples = variables.holding_in_tuples(self._tensors, frame, outputs)
        held.update({spots.Spot(name, None, at): address for name, at, address in in_tuples})
        yield (id(frame), frame.f_code), held
        if not frames.is_function(frame):
            return
        for name, value in list(frames.variables(frame).items()):
            if not search.has_own_attributes(type(value)):
                continue
            held = {
                spots.Spot(name, attribute): address
                for attribute, it in list(paths.attributes(value).items())
                if (address := self._tensors.of_tensor(it)) in outputs
            }
            yield id(value), held


def _keeps_in_vain(frame, spot, stack, codes):
    """Whether what the frame goes on with reads there what it takes for the output of an earlier replay."""
    code, offset = frame.f_code, frame.f_lasti
    callers = stack[stack.index(frame) :]
    if _is_shared(frame, spot) and _is_read_elsewhere(spot, callers, codes):
        return False
    return (
        _remembers(spot, callers)
        or spots.is_renewed_each_turn(code, offset, spot)
        or spots.is_beside_the_next(code, offset, spot)
        or (spot.is_whole() and spots.is_result_beside_another(code, offset, spot.name))
    )


def _remembers(spot, callers):
    """Whether a loop around what the frame does now sets it under a condition, never uses it, and it is read behind it."""
    frame, *others = callers
    code, offset = frame.f_code, frame.f_lasti
    loop = bytecode.outermost_loop(code, offset)
    if not spots.is_set_under_condition(code, spot, loop) or spots.is_used(code, spot, loop):
        return False
    return spots.is_read_later(code, offset, spot) or (
        spot.attribute is not None
        and any(spots.has_reader_later(it.f_code, it.f_lasti, spot.attribute) for it in others)
    )


def _is_shared(frame, spot):
    """Whether other code may read it: objects are shared, and so are the variables of a module."""
    return spot.attribute is not None or not frames.is_function(frame)


def _is_read_elsewhere(spot, callers, codes):
    """Whether code of the program reads it that is not behind the replay: neither the frame's nor that of its callers."""
    own = {it.f_code for it in callers}
    return any(it not in own and stores.loads(it, spot.own_name) for it in codes())
