"""What the region does now beside what it did when the capture began."""

import difflib

# Operators of one side that are matched with the other's one by one, where their names differ somewhere.
MATCHED = 4_000
# What stands for a look of the host among the operators.
LOOK = "look"
# Operators told of that the region does not run any more.
TOLD = 32
# What the region does now with a tensor that it made at the capture: it has not come to it, it reads it, it gives it other
# contents first, it changes what it holds.
UNSEEN, READ, OVERWRITTEN, CHANGED = "unseen", "read", "overwritten", "changed"
# How the names of kernels begin, whose last part is their grid.
TRITON, KERNEL = "triton::", "kernel::"
# How the names of PyTorch's own operators begin. Of others, it is not known what they do with what they write.
PYTORCH = "aten."
# The parts of a description of a tensor of the host with what it holds.
HOST_PARTS = 5
# What the description of a number in a structure begins with: which parameter that is, the first byte there, the number.
FIELD = "field"
# What is told of a tensor that a number has taken the place of.
A_TENSOR = "a tensor"
# There is no tensor where there was one: nothing behind it is compared.
GONE = {}
# What divides a tensor into parts of any sizes.
PLANNED = "aten::split_with_sizes"
# Operators that work on tensors of a list one by one: a longer one is more work, and no larger tensor.
ONE_BY_ONE = ("aten._foreach_", "aten._fused_")
# Operators that give their first tensor new contents, whatever it held.
OVERWRITING = (
    "aten.bernoulli_.",
    "aten.cauchy_.",
    "aten.copy_.",
    "aten.exponential_.",
    "aten.fill_.",
    "aten.geometric_.",
    "aten.log_normal_.",
    "aten.normal_.",
    "aten.random_.",
    "aten.uniform_.",
    "aten.zero_.",
    "aten._foreach_copy_.",
    "aten._foreach_zero_.",
)


def compare(then, now, alike=(), numbers_for_tensors=True):
    """The differences, in order, each a dictionary. `then` and `now` are operators, why these are not all, and what made the tensors
    that outlive the region; `alike`
    are pairs of addresses whose tensors are one as good as the other to who reads them. `numbers_for_tensors` has numbers told that
    are given in place of tensors, which may hold these."""
    return _Comparison(then, now, alike, numbers_for_tensors).run()


def are_reordered(one, other):
    """Whether two regions run the same operators with the same numbers and sizes in another order, which what does not depend on each
    other may have."""

    def forms(operators):
        return sorted(repr((name, [_form(it) for it in parts])) for name, parts, _ in operators)

    return len(one) == len(other) and forms(one) == forms(other)


def _form(part):
    """What an operator is given, of a tensor without where it lies."""
    return part[2:5] if is_tensor(part) else part


def without_looks(operators):
    """The operators without those whose results the host has looked at, and nobody has used otherwise."""
    used = {}
    for number, (_, parts, _) in enumerate(operators):
        for it in parts:
            if is_tensor(it) and it[0] < 0:
                used.setdefault(-1 - it[0], []).append(number)
    dropped = set()
    for number in reversed(range(len(operators))):
        name, parts, _ = operators[number]
        changes = any(is_tensor(it) and it[4] for it in parts)
        users = used.get(number)
        if name == LOOK or (users and not changes and dropped.issuperset(users)):
            dropped.add(number)
    kept = [number for number in range(len(operators)) if number not in dropped]
    numbers = {number: place for place, number in enumerate(kept)}
    found = []
    for number in kept:
        name, parts, stack = operators[number]
        moved = (
            (-1 - numbers[-1 - it[0]], *it[1:]) if is_tensor(it) and it[0] < 0 else it
            for it in parts
        )
        found.append((name, tuple(moved), stack))
    return found


class _Comparison:
    def __init__(self, then, now, alike, numbers_for_tensors):
        self._alike = alike
        self._tells_numbers = numbers_for_tensors
        self._then, then_stopped, self._then_outputs = then
        self._now, now_stopped, self._now_outputs = now
        self._is_whole = not (then_stopped or now_stopped)
        # Which operator of now stands for one of then, and what the region finds now in place of what it made then.
        self._twins = {}
        self._kept = {}
        # By operator that one side has to itself: the gap that it is part of.
        self._alone_then, self._alone_now = {}, {}
        self._lacking = {}

    def run(self):
        for is_same, then, now in _aligned(self._then, self._now):
            if is_same:
                for one, other in zip(range(*then), range(*now), strict=False):
                    self._twins[-1 - one] = -1 - other
                    difference = self._arguments(one, other)
                    if difference is GONE:
                        return self._told()
                    if difference is not None:
                        return [difference, *self._told()]
            elif self._matters(then, now):
                return [self._operators(then, now), *self._told()]
            elif not self._is_unfinished(then, now):
                self._note_gap(then, now)
        return [*self._outputs(), *self._told()]

    def _outputs(self):
        """The first name that leads to what another operator has made, or to an input of the capture. What is there already, and made
        by none, may have been made once."""
        if not self._is_whole:
            return []
        inputs = from_outside(self._then)
        made = {name: it for name, it in self._then_outputs.items() if it < 0}
        for name, then in made.items():
            now = self._now_outputs.get(name)
            is_made = now is not None and now < 0
            if now in inputs or (is_made and self._twins.get(then) != now):
                sides = {
                    "then": self._maker(self._then, then),
                    "now": self._maker(self._now, now) if is_made else None,
                }
                return [{"kind": "operators", **sides, "name": name}]
        return []

    @staticmethod
    def _maker(operators, number):
        name, _, stack = operators[-1 - number]
        return side_of(name, stack)

    def _told(self):
        return list(self._lacking.values())[:TOLD]

    def _matters(self, then, now):
        """Whether operators that one side has to itself are more than what is set up once."""
        if self._is_unfinished(then, now):
            return False
        own = self._then[slice(*then)] + self._now[slice(*now)]
        known = {*self._twins, *self._twins.values()}
        changes = any(
            is_tensor(it) and it[4] and (it[0] >= 0 or it[0] in known)
            for _, parts, _ in own
            for it in parts
        )
        is_replaced = then[0] < then[1] and now[0] < now[1]
        is_result = now[0] < now[1] and now[1] == len(self._now)
        return changes or is_replaced or is_result

    def _is_unfinished(self, then, now):
        """Whether one side stopped before it came to what the other has to itself."""
        ends = then[1] == len(self._then) or now[1] == len(self._now)
        return ends and not self._is_whole

    def _note_gap(self, then, now):
        for number in range(*then):
            self._alone_then[-1 - number] = then, now
            name, _, stack = self._then[number]
            self._lacking[-1 - number] = {
                "kind": "made_once",
                "then": side_of(name, stack),
                "now": None,
                "address": 0,
                "use": UNSEEN,
            }
        for number in range(*now):
            self._alone_now[-1 - number] = then, now

    def _operators(self, then, now):
        sides = []
        for operators, (first, last) in ((self._then, then), (self._now, now)):
            side = None
            if first < last:
                name, _, stack = operators[first]
                side = side_of(name, stack)
            sides.append(side)
        difference = {"kind": "operators", "then": sides[0], "now": sides[1]}
        return {**difference, **self._goes_on_with(now)}

    def _goes_on_with(self, now):
        """What is told of the first tensor that the capture was not given, and that operators change in a way that depends on what
        it holds."""
        settled = {it[0] for _, parts, _ in self._then for it in parts if is_tensor(it)}
        read = set()
        for name, parts, stack in self._now[slice(*now)]:
            given = [it for it in parts if is_tensor(it) and it[0] >= 0 and it[0] not in settled]
            read.update(it[0] for it in given if not it[4])
            for origin in (it[0] for it in given if it[4]):
                is_known = name.startswith(PYTORCH) and not overwrites(name)
                if origin in read or is_known:
                    return {"now": side_of(name, stack), "address": origin, "use": CHANGED}
                settled.add(origin)
        return {}

    def _arguments(self, then, now):
        """The first difference in what an operator is given."""
        name, before, stack = self._then[then]
        _, after, stack_now = self._now[now]
        sides = {"then": side_of(name, stack), "now": side_of(name, stack_now)}
        if len(before) != len(after):
            lengths = [sum(map(is_tensor, parts)) for parts in (before, after)]
            if lengths[0] < lengths[1] and not name.startswith(ONE_BY_ONE):
                return {**sides, **_size(lengths[:1], lengths[1:])}
            return {"kind": "operators", **sides}
        if name.startswith((TRITON, KERNEL)):
            difference = _size(before[-1], after[-1])
            if difference is not None:
                return {**sides, **difference}
        for one, other in zip(before, after, strict=False):
            if is_tensor(one) and is_tensor(other):
                difference = self._tensors(name, one, other)
                if difference is not None:
                    return _at_view({**sides, **difference}, one[5], other[5])
            elif _is_field(one) and _is_field(other):
                if one != other:
                    place = {"address": one[2], "address_now": one[1]}
                    numbers = {"captured": str(one[3]), "eager": str(other[3])}
                    return {"kind": "field", **numbers, **place, **sides}
            elif type(one) is tuple or type(other) is tuple:
                is_input = is_tensor(one) and one[0] >= 0
                number = _number(other) if is_input and self._tells_numbers else None
                if number is not None:
                    place = {"captured": A_TENSOR, "eager": number, "address": one[0]}
                    return {"kind": "number", **place, **sides}
                if type(one) is not type(other):
                    return GONE  # What eager code has no tensor for is told by who freed it.
                difference = _of_host(one, other)
                if difference is not None:
                    return {**sides, **difference}
            elif one != other:
                return {"kind": "number", "captured": str(one), "eager": str(other), **sides}
        return None

    def _tensors(self, name, one, other):
        origin, offset, sizes, dtype, _, view = one
        origin_now, offset_now, sizes_now, dtype_now, is_written, _ = other
        difference = _size(sizes, sizes_now)
        if difference is not None:
            found = {"view": view and view[0], **difference}
            if origin >= 0 and origin_now >= 0:
                found.update(address=origin, address_now=origin_now)
            return found
        if dtype != dtype_now:
            return {"kind": "operators", "captured": dtype, "eager": dtype_now}
        is_alike = not is_written and (origin, origin_now) in self._alike
        if origin >= 0 and origin != origin_now and not is_alike:
            return self._other_tensor(origin, origin_now)
        if origin < 0 and self._twins.get(origin) != origin_now:
            if origin_now < 0:
                gap = self._alone_then.get(origin) or self._alone_now.get(origin_now)
                return self._operators(*gap) if gap is not None else {"kind": "operators"}
            if not self._stands_for(origin, origin_now, name, is_written):
                return {"kind": "operators"}
        if offset != offset_now:
            numbers = {"captured": str(offset), "eager": str(offset_now), "address": max(origin, 0)}
            return {"kind": "offset", "view": view and view[0], **numbers}
        return None

    def _other_tensor(self, origin, origin_now):
        if origin_now < 0:
            # The region makes it now: what it was made from is told.
            made_from = 0
            name, parts, stack = self._now[-1 - origin_now]
            for it in parts:
                if is_tensor(it) and it[0] >= 0:
                    made_from = it[0]
                    break
            return {
                "kind": "made_now",
                "now": side_of(name, stack),
                "address": origin,
                "address_now": made_from,
            }
        return {"kind": "tensor", "address": origin, "address_now": origin_now}

    def _stands_for(self, origin, address, name, is_written):
        """Whether a tensor from before may stand for one that the region made then: one that it does not make any more."""
        made = self._lacking.get(origin)
        if made is None or self._kept.setdefault(origin, address) != address:
            return False
        made["address"] = address
        if made["use"] == UNSEEN and is_written and overwrites(name):
            made["use"] = OVERWRITTEN
        elif made["use"] in (UNSEEN, READ):
            made["use"] = CHANGED if is_written else READ
        return True


def _aligned(then, now):
    """Which operators of both sides stand for each other: triples of whether they do, and of two ranges."""
    if [it[0] for it in then] == [it[0] for it in now]:
        return [(True, (0, len(then)), (0, len(now)))]
    shared = from_outside(then) & from_outside(now)
    one, other = ([_key(shared, *it) for it in side] for side in (then, now))
    first = common(one, other)
    last = min(common(one[::-1], other[::-1]), len(one) - first, len(other) - first)
    ends = len(one) - last, len(other) - last
    found = [(True, (0, first), (0, first))]
    if max(ends) - first > MATCHED:
        found.append((False, (first, ends[0]), (first, ends[1])))
    else:
        matcher = difflib.SequenceMatcher(
            None, one[first : ends[0]], other[first : ends[1]], autojunk=False
        )
        for tag, a, b, c, d in matcher.get_opcodes():
            found.append((tag == "equal", (first + a, first + b), (first + c, first + d)))
    return [*found, (True, (ends[0], len(one)), (ends[1], len(other)))]


def from_outside(operators):
    """Where storages begin that are there without the region."""
    return {it[0] for _, parts, _ in operators for it in parts if is_tensor(it) and it[0] >= 0}


def _key(shared, name, parts, stack):
    """What makes two operators the same step of a region that does not run the same ones each time."""
    given = ((it[0] if it[0] in shared else -1, it[2]) for it in parts if is_tensor(it))
    return name, stack, tuple(given)


def still_read(then, now):
    """Where storages begin that operators are given now at each place at which they were at the capture; none if the operators are
    other ones."""
    if [it[0] for it in then] != [it[0] for it in now]:
        return set()
    kept, lost = set(), set()
    for (_, before, _), (_, after, _) in zip(then, now, strict=True):
        if len(before) != len(after):
            return set()
        for one, other in zip(before, after, strict=True):
            if is_tensor(one) and one[0] >= 0:
                is_same = is_tensor(other) and other[0] == one[0]
                (kept if is_same else lost).add(one[0])
    return kept - lost


def common(one, other):
    """How many entries the beginnings of two lists have in common."""
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def _at_view(difference, then, now):
    """The difference where the part of a tensor was chosen, if a number chose its place, or those of all parts their sizes."""
    is_chosen = difference["kind"] == "offset" or difference.get("view") == PLANNED
    if is_chosen and then is not None and now is not None:
        for side, (_, stack) in (("then", then), ("now", now)):
            difference[side] = {**difference[side], "stack": stack_of(stack)}
    return difference


def side_of(name, stack):
    """An operator as it is told."""
    return {"operator": name, "stack": stack_of(stack)}


def stack_of(frames):
    """Frames as they are told."""
    return [{"file": file, "function": function, "line": line} for file, function, line in frames]


def overwrites(name):
    """Whether an operator gives the tensor that it writes new contents, whatever it held."""
    overload = name.rpartition(".")[2]
    return name.startswith(OVERWRITING) or overload == "out" or overload.endswith("_out")


def _size(then, now):
    """How sizes differ, if they do: whether those of then cover those of now."""
    if then == now:
        return None
    is_larger = len(then) != len(now) or any(a < b for a, b in zip(then, now, strict=False))
    kind = "size" if is_larger else "covered"
    return {"kind": kind, "captured": _sizes(then), "eager": _sizes(now)}


def _sizes(sizes):
    return "×".join(map(str, sizes)) or "1"


def _of_host(one, other):
    """What is told of two tensors of the host that an operator is given, if they hold different values; None of others."""
    if len(one) != len(other) or len(one) != HOST_PARTS or one[3] == other[3]:
        return None
    kind = "contents" if one[4].startswith("[") else "number"
    return {"kind": kind, "captured": one[4], "eager": other[4]}


def _number(part):
    """The number that an operator is given, as text, which may come in a tensor of the host; None if it is no number."""
    text = part[4] if type(part) is tuple and len(part) == HOST_PARTS else part
    try:
        float(text)
    except (TypeError, ValueError):
        return None
    return str(text)


def is_tensor(part):
    return type(part) is tuple and len(part) == 6


def _is_field(part):
    return type(part) is tuple and part[:1] == (FIELD,)
