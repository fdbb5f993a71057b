"""A plain value that a captured function changed, and whether anything changes it again beside the replays."""

from . import advances, bytecode, frames, paths, places, stores, unread, windows
from .plain_values import BEGINNING, Length, Position, State, kind_of, plain, same, text

# Samples after which a value counts as one that replays do not change: the first is before any replay.
SEEN = 3
# Tensors in a list that calls before the capture have left there: one may be there from the beginning.
COLLECTED = 2


class Change:
    """A value that a capture changed."""

    # What is compared of it.
    _read = staticmethod(plain)

    def __init__(self, visited, step, before, after, codes):
        self._place = places.Place(visited, step)
        self._path = (visited.path, *step)
        self.name = self._place.name
        self.before = before
        self.after = after
        is_length = isinstance(after, Length)
        found = stores.the_one(stores.find((visited.path, *step), codes, length=is_length))
        self.file, self.line = found if found is not None else (None, None)
        # The lines of the region that change it, as its code says.
        self.region_lines = ()
        # The lines that change it at every call, whether the capturing code itself has one, and whether tensors are collected.
        self.lines = []
        self.is_inline = False
        self.has_tensor = False
        # How the program uses it, of a number.
        self.use = unread.READ
        # What it was at the first sample, which is before any replay: the program may have reset it.
        self._first = None
        # At how many samples it was as before the replays, and whether it was different at one.
        self.unmoved = 0
        self.moved = False

    def add_steps(self, steps):
        """Takes the line that moved it on when the region ran again, where the code does not say that one line does."""
        if len(self.lines) == 1 and not self.lines[0].sets_up:
            return
        seen = [Step(line) for *place, line in steps if tuple(place) == self._place.key()]
        self.lines = seen or self.lines

    def sample(self, scopes, stack=()):
        """Looks at it again, at a replay below these frames, or at the end of the program."""
        at_end = not stack
        value = self._place.value(scopes)
        now = self._removed(scopes) if value is paths.MISSING else self._read(value)
        if now is None or self.moved:
            return
        if self._first is None or (type(now) is Position and not now.is_of(self._first)):
            # An iterator that was made anew since has been given back what was taken from it.
            self.unmoved = 0
            self._first = now if self._recurs() else self.after
        if same(now, self._first) or type(self.after) is State:
            self.unmoved += 1
            self.moved = self.unmoved == SEEN and self.is_moved_beside(stack)
        elif not (at_end and self._recurs() and self.unmoved >= SEEN):
            # When the program ends, the lines may have run eagerly since the last replay.
            self.moved = True

    def is_moved_beside(self, stack):
        """Whether a loop around the replay moves it on itself, as the help says, and may give it its first value again before the next."""
        kind, own = kind_of(self.after), {(line.code, line.offset) for line in self.region_lines}
        for frame in stack:
            code = frame.f_code
            if frames.origin(code.co_filename) != frames.OWN:
                continue
            first, last = bytecode.loop_around(code, frame.f_lasti)
            for line in advances.find(self._path, kind, [code]):
                if first <= line.offset <= last and (code, line.offset) not in own:
                    return True
        return False

    def _removed(self, scopes):
        """What an entry counts as that the program has taken out of a dictionary: a number begins again at none."""
        if not self._place.is_entry() or type(self.after) not in BEGINNING:
            return None
        is_there = issubclass(type(self._place.container(scopes)), dict)
        return type(self.after)(0) if is_there else None

    def _recurs(self):
        return any(not line.sets_up for line in self.lines)

    def is_known(self):
        """Whether it was seen after a replay, so that one can tell: the first sample is before any."""
        return self.moved or self.unmoved >= SEEN

    def describe(self):
        return {
            "name": self.name,
            "before": text(self.before, self.after),
            "after": text(self.after, self.before),
            "is_length": isinstance(self.after, Length),
            "moved": self.moved,
            "file": self.file,
            "line": self.line,
        }

    def told_lines(self):
        """The lines that change it at every call, where it is certain that no set-up is told."""
        is_kept = same(self._first, self.after)
        may_be_output = self.has_tensor or (self.is_inline and type(self.after) is Length)
        if is_kept and may_be_output and not self._is_collected():
            return []
        return [line.describe() for line in self.lines]

    def _is_collected(self):
        """Whether entries of calls before the capture are there, as where each call is to leave one."""
        return not self.is_inline and isinstance(self.before, Length) and self.before >= COLLECTED


class Slide(Change):
    """A list of tensors that a capture moved on by some of them."""

    _read = staticmethod(windows.window)

    def describe(self):
        """The same, in words."""
        count, kept = len(self.before.addresses), self.after.kept_of(self.before)
        words = {
            "before": f"{count} tensors",
            "after": f"{kept} of these and {count - kept} new",
            "is_length": False,
        }
        return {**super().describe(), **words}


class Step:
    """A line that a copy of the process has seen to move a value on."""

    sets_up = False

    def __init__(self, line):
        self._line = line

    def describe(self):
        return self._line
