"""A function's instructions as statements, and the conditions that they stand under."""

import dis
import functools
import inspect
import types

# What changes a container in place.
CHANGING = frozenset(
    [
        "append",
        "appendleft",
        "extend",
        "extendleft",
        "insert",
        "add",
        "update",
        "setdefault",
        "pop",
        "popleft",
        "popitem",
        "remove",
        "discard",
        "clear",
    ]
)

_LOADS = ("LOAD_NAME", "LOAD_GLOBAL", "LOAD_FAST", "LOAD_DEREF", "LOAD_ATTR", "LOAD_CLASSDEREF")
# Names that outlive a call, and the members of what they lead to.
_LASTING_LOADS = ("LOAD_NAME", "LOAD_GLOBAL", "LOAD_DEREF", "LOAD_ATTR", "LOAD_METHOD")
_LASTING_STORES = ("STORE_NAME", "STORE_GLOBAL", "STORE_DEREF", "STORE_ATTR")
_SETTING = ("STORE_FAST", "DELETE_FAST", "STORE_NAME", "DELETE_NAME")
_STORING = "STORE_SUBSCR"
_INTO_CONTAINERS = (_STORING, "DELETE_SUBSCR")
# The method that does what the instruction does, where there is room for an expression only, as in a lambda.
_STORING_METHOD = "__setitem__"
# Instructions that do nothing: those that only hold room, and the way that a jump does not take.
_NOTHING = ("CACHE", "NOT_TAKEN")
# Since Python 3.14 a variable can be loaded without being counted, which makes no difference here.
_UNCOUNTED = "_BORROW"
# Since Python 3.12 a comprehension is part of its function: this keeps a variable of the same name for later.
_PUT_ASIDE = "LOAD_FAST_AND_CLEAR"
# What stands where an exception is handled; Python 3.10 has the second.
_HANDLING = ("PUSH_EXC_INFO", "JUMP_IF_NOT_EXC_MATCH")
# What goes on behind it, or elsewhere.
_BRANCHING = (
    "FOR_ITER",
    "SEND",
    "SETUP_FINALLY",
    "SETUP_WITH",
    "SETUP_ASYNC_WITH",
    "END_ASYNC_FOR",
)
_LEAVING = ("RETURN", "RAISE", "RERAISE")


class Instruction:
    """One instruction with its line, and where the statement begins that it is part of."""

    __slots__ = ("line", "name", "offset", "start", "text", "value")

    def __init__(self, instruction, line, start):
        self.name = _name(instruction)
        self.value = instruction.argval
        self.text = instruction.argrepr
        self.offset = instruction.offset
        self.line = line
        self.start = start

    def loads(self, name):
        """Whether it loads a variable or an attribute of this name."""
        if self.name.startswith("LOAD_FAST_LOAD_FAST"):
            return names_both(self.value, name)
        return self.name.startswith(_LOADS) and self.value == name

    def leads_to(self, name):
        """Whether it loads a variable, an attribute or a method of this name."""
        return self.loads(name) or (self.name == "LOAD_METHOD" and self.value == name)

    def reads(self, name):
        """Whether it reads a variable of this name, of a function or of the module whose code it is in."""
        if self.name.startswith("STORE_FAST_LOAD_FAST"):
            return self.value[0] != name and self.value[1] == name
        if self.name == _PUT_ASIDE:
            return False
        return self.name.startswith(("LOAD_FAST", "LOAD_NAME")) and names_both(self.value, name)

    def sets(self, name):
        """Whether it gives such a variable another value, or none."""
        if self.name.startswith("STORE_FAST_LOAD_FAST"):
            return self.value[0] == name
        return self.name.startswith(_SETTING) and names_both(self.value, name)

    def set_by_it(self):
        """The variables that it gives another value."""
        if not self.name.startswith(("STORE_FAST", "STORE_NAME")):
            return ()
        if type(self.value) is tuple:
            return self.value[:1] if "LOAD" in self.name else self.value
        return (self.value,)

    def loads_to_call(self):
        """Whether it loads a method to call it, and not to hand it on. Since Python 3.12, only what it loads beside it says so."""
        return self.name == "LOAD_METHOD" or (self.name == "LOAD_ATTR" and "self" in self.text)

    def is_jump(self):
        """Whether it may go on elsewhere, as a condition decides."""
        return "JUMP" in self.name and "IF" in self.name

    def leaves(self):
        """Whether the function is left."""
        return self.name.startswith(_LEAVING)

    def _ends_statement(self):
        name = self.name
        return name.startswith(("STORE_", "DELETE_", *_LEAVING, "FOR_ITER")) or (
            name == "POP_TOP" or "JUMP" in name
        )


def _name(instruction):
    """An instruction's name, where Python 3.14 has another one by that which it had before."""
    if instruction.opname == "BINARY_OP" and instruction.argrepr == "[]":
        return "BINARY_SUBSCR"
    return instruction.opname.replace(_UNCOUNTED, "")


@functools.lru_cache(maxsize=512)
def instructions(code):
    """The instructions of a code object, in order."""
    found = []
    start = 0
    line = code.co_firstlineno
    lines = {begin: number for begin, _, number in code.co_lines() if number is not None}
    own = list(dis.get_instructions(code))
    storing = {_call_of(own, at) for at, it in enumerate(own) if it.argval == _STORING_METHOD}
    for instruction in own:
        line = lines.get(instruction.offset, line)
        if instruction.opname in _NOTHING:
            continue
        found.append(Instruction(instruction, line, start))
        if instruction.offset in storing:
            found[-1].name = _STORING
        if "_FAST" in instruction.opname and not code.co_flags & inspect.CO_OPTIMIZED:
            # A comprehension's own, and no variable of the module or class.
            found[-1].value = (None, None) if type(found[-1].value) is tuple else None
        if instruction.opname == "KW_NAMES":
            # Python 3.11 does not look up what its argument stands for.
            found[-1].value = code.co_consts[instruction.arg]
        if found[-1]._ends_statement():
            start = len(found)
    return found


def _call_of(own, place):
    """Where the method is called that an instruction loads: at the first one that leaves less on the stack. None if that is not clear."""
    depth = 0
    for instruction in own[place + 1 :]:
        depth += dis.stack_effect(instruction.opcode, instruction.arg)
        if depth < 0:
            return instruction.offset if instruction.opname.startswith("CALL") else None
        if "JUMP" in instruction.opname:
            return None
    return None


def loop_around(code, offset):
    """Where the innermost loop around an instruction begins and ends; there is nothing in between where there is none."""
    return min(loops(code, offset), default=(0, 0, -1))[1:]


def outermost_loop(code, offset):
    """The same for the outermost one."""
    return max(loops(code, offset), default=(0, 0, -1))[1:]


def loops(code, offset):
    """The loops around an instruction: how long each is, where it begins and where it ends."""
    ends = {}
    for instruction in instructions(code):
        if _goes_back(instruction):
            ends[instruction.value] = instruction.offset
    return [(last - first, first, last) for first, last in ends.items() if first <= offset <= last]


def followers(own, place, ends=lambda _: False):
    """The places of an instruction and of those that may run after it, up to such as end the way."""
    waiting, seen = [place], set()
    while waiting:
        place = waiting.pop()
        if place in seen or place >= len(own):
            continue
        seen.add(place)
        instruction = own[place]
        if instruction.leaves() or ends(place):
            continue
        if "JUMP" in instruction.name or instruction.name in _BRANCHING:
            target = instruction.value
            waiting.extend([at for at, it in enumerate(own) if it.offset >= target][:1])
            if not instruction.is_jump() and instruction.name not in _BRANCHING:
                continue
        waiting.append(place + 1)
    return seen


def is_under_condition(code, index, first):
    """Whether a jump behind the offset `first` may leave an instruction out."""
    own = instructions(code)
    begin = next((at for at, it in enumerate(own) if it.offset >= first), 0)
    return any(jump > begin for jump, *_ in _conditions(own, index))


def names_both(value, name):
    """Whether a name is among those of an instruction that stands for two, as there are since Python 3.13."""
    return name in value if type(value) is tuple else value == name


def is_set_up(code, index, codes):
    """Whether an instruction runs once: under a condition that asks for what is changed there, as `if x is None: x = 1` does.

    `codes` is the program's code: a function that is called under such a condition alone sets something up, too.
    """
    if _is_guarded(code, index, codes, frozenset()):
        return True
    name = code.co_name
    changed = _changed_by(code)
    calls = [
        _is_guarded(caller, at, codes, changed)
        for caller in codes
        if caller is not code and name in caller.co_names
        for at, instruction in enumerate(instructions(caller))
        if instruction.name.startswith(_LASTING_LOADS) and instruction.value == name
    ]
    return bool(calls) and all(calls)


def is_conditional(code, index):
    """Whether there is a way through the function that leaves an instruction out."""
    return any(True for _ in _conditions(instructions(code), index))


def _is_guarded(code, index, codes, changed):
    own = instructions(code)
    if _is_handler(own, index):
        return True  # Such as for a missing key.
    for jump, first, end in _conditions(own, index):
        asked = _lasting(own[own[jump].start : jump])
        for called in codes:
            if called.co_name in asked:
                asked = asked | set(called.co_names)
        if asked & (changed | _changed(own, first, end, codes)):
            return True
    return False


def _is_handler(own, index):
    """Whether an instruction is part of what handles an exception."""
    for instruction in reversed(own[:index]):
        if instruction.name == "POP_EXCEPT":
            return False
        if instruction.name in _HANDLING:
            return True
    return False


def _conditions(own, index):
    """The jumps that may leave an instruction out, each with the range of what its condition decides on."""
    places = {it.offset: place for place, it in enumerate(own)}
    for jump, instruction in enumerate(own[:index]):
        if not instruction.is_jump():
            continue
        target = places.get(instruction.value, 0)
        if target <= jump:
            continue
        if target > index:
            yield jump, jump + 1, target
        elif index < (end := _end_of_skipped(own, target - 1, places)):
            yield jump, target, end


def _end_of_skipped(own, place, places):
    """Where that ends which is left out where the program comes to an instruction: it leaves the function, begins the next turn of a
    loop, as Python 3.12 and later do at once if a condition is not met, or jumps ahead. 0 if it goes on behind it."""
    instruction = own[place]
    if instruction.leaves():
        return len(own)
    if not instruction.name.startswith("JUMP"):
        return 0
    if _goes_back(instruction):
        turns = [
            at for at, it in enumerate(own) if _goes_back(it) and it.value == instruction.value
        ]
        return turns[-1] + 1
    return places.get(instruction.value, 0)


def _goes_back(instruction):
    """Whether it may begin the next turn of a loop, and waits for nothing."""
    if "JUMP" not in instruction.name or "NO_INTERRUPT" in instruction.name:
        return False
    return type(instruction.value) is int and instruction.value <= instruction.offset


def _lasting(statement):
    return {it.value for it in statement if it.name.startswith(_LASTING_LOADS)}


def _changed(own, first, end, codes):
    """The names of what a range of instructions changes, also through a function of the program that it calls."""
    found = set()
    for instruction in own[first:end]:
        if instruction.name in _LASTING_STORES:
            found.add(instruction.value)
    for place in range(first, end):
        instruction = own[place]
        if instruction.name in _INTO_CONTAINERS or (
            instruction.name.startswith(_LASTING_LOADS) and instruction.value in CHANGING
        ):
            found |= _lasting(own[instruction.start : place])
    called = _lasting(own[first:end])
    for code in codes:
        if code.co_name in called:
            found |= _changed_by(code)
    return found


@functools.lru_cache(maxsize=512)
def _changed_by(code):
    own = instructions(code)
    return frozenset(_changed(own, 0, len(own), ()))


def inner(code):
    """The code of the functions that are made in this one."""
    return [constant for constant in code.co_consts if type(constant) is types.CodeType]
