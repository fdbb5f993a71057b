"""Plain values of the program that a captured function changed, and that no replay changes again."""

import queue
import sys
from collections import deque

from . import (
    advances,
    bytecode,
    emptied,
    frames,
    onlookers,
    paths,
    places,
    random_numbers,
    search,
    stores,
    unread,
    windows,
)
from .plain_values import (
    BEGINNING,
    Entries,
    Length,
    Position,
    State,
    kind_of,
    plain,
    same,
    text,
)

# Values looked at before a capture, and after it.
VALUES = 4_000
# Changes told of one capture.
CHANGES = 32
# Samples after which a value counts as one that replays do not change: the first is before any replay.
SEEN = 3
# Where addresses of tensors lie in a process of Linux, and what PyTorch's allocator aligns them to.
ADDRESSES = (1 << 32, 1 << 47)
ALIGNED = 512
# Tensors in a list that calls before the capture have left there: one may be there from the beginning.
COLLECTED = 2


class Snapshot:
    """The plain values that can be reached when a capture begins, by path. It refers to no container."""

    def __init__(self, stack):
        own = [frame for frame in stack if frames.origin(frame.f_code.co_filename) == frames.OWN]
        # Where each frame was when the capture began.
        self._began = {(id(frame), frame.f_code): frame.f_lasti for frame in own}
        values = list(_plain_values(own)) if own else ()
        self._values = {key: plain for key, plain, *_ in values}
        slides = ((key, windows.window(value)) for key, _, *_, value in values)
        self._windows = {key: window for key, window in slides if window is not None}
        generators = random_numbers.shared() if own else {}
        self._random = {name: random_numbers.state(it) for name, it in generators.items()}
        self._is_traced = onlookers.are_tracing()
        self._onlookers = onlookers.codes() if own else set()

    def changes(self, stack):
        """What is different now, when the capture has ended."""
        found = {}
        code = _Code(stack)
        for name, before in self._random.items():
            generator = random_numbers.shared().get(name)
            if generator is not None and random_numbers.state(generator) != before:
                found[name] = Drawn(name, self._that_ran(code.draws(generator), stack))
        if not self._values or self._is_traced:
            return list(found.values())
        for before, after, visited, step, value in self.changed(stack):
            if self._is_of_capturing_frame(visited, step, stack):
                continue
            if _ends_with_address(value):
                continue
            lines = self._that_ran(code.advances(visited, step, kind_of(after)), stack)
            of_program = [line for line in lines if not self._is_of_onlooker(line.code)]
            if lines and not of_program:
                continue
            lines = of_program
            lines = self._of_region(lines, code, stack)
            capturing = {frame.f_code for frame in stack}
            inline = [line for line in lines if line.code in capturing]
            is_output = _ends_with_tensor(value)
            if is_output and (inline or not lines):
                continue
            if lines and self._is_emptied((visited.path, *step), code, stack):
                continue
            kind = Slide if type(after) is windows.Window else Change
            change = kind(visited, step, before, after, code.all())
            change.lines = change.region_lines = lines
            change.has_tensor = is_output and kind is Change
            change.is_inline = bool(inline)
            if kind_of(after) == advances.VALUE:
                is_of_region = self._region_of(code, stack)
                path = (visited.path, *step)
                change.use = unread.use(path, visited.value, lines, code.all(), is_of_region)
            # A variable that a closure shares is met under the same name again.
            found.setdefault((change.name, change.line), change)
            if len(found) >= CHANGES:
                break
        return list(found.values())

    def changed(self, stack):
        """The values that are different now: each with what it was, what it is, what holds it, the step from there, and the object."""
        for key, after, visited, step, value in _plain_values(stack):
            before = self._before(key, after)
            if before is paths.MISSING:
                continue
            if same(before, after):
                before, after = self._windows.get(key), windows.window(value)
                if before is None or after is None or not after.kept_of(before):
                    continue
            if type(after) is not Position or after.is_of(before):
                yield before, after, visited, step, value

    def _is_of_onlooker(self, code):
        return code in self._onlookers or code.co_name == onlookers.FINALIZER

    def _before(self, key, after):
        """What was there before the capture: of a new entry that counts or collects, nothing yet."""
        before = self._values.get(key, paths.MISSING)
        frame, module, path, (kind, _) = key
        if before is not paths.MISSING or kind != paths.ITEM or type(after) not in BEGINNING:
            return before
        container = (frame, module, path[0], path[1:]) if path else None
        return type(after)(0) if type(self._values.get(container)) is Entries else before

    def _that_ran(self, lines, stack):
        """Without the lines of the capturing code itself that do not stand amid the capture."""
        running = {frame.f_code: frame for frame in reversed(stack)}
        return [
            line
            for line in lines
            if line.code not in running or self._is_amid(line, running[line.code])
        ]

    def _of_region(self, lines, code, stack):
        """Of several lines, those in code that the region may call, if there are some."""
        if len(lines) < 2:
            return lines
        running = {frame.f_code for frame in stack}
        region = code.region(self._began)
        return [it for it in lines if it.code in running or it.code in region] or lines

    def _region_of(self, code, stack):
        """What says whether an instruction may be of the region."""
        running = {frame.f_code: frame for frame in reversed(stack)}

        def is_of_region(each, instruction):
            if each in running:
                return self._is_amid(instruction, running[each])
            return each in code.region(self._began)

        return is_of_region

    def _is_emptied(self, path, code, stack):
        """Whether the region empties what it fills, so that each call leaves as much there."""
        is_of_region = self._region_of(code, stack)
        return any(is_of_region(*line) for line in emptied.lines(path, code.all()))

    def _is_amid(self, line, frame):
        began = self._began.get((id(frame), frame.f_code))
        if began is None:
            return False
        return frame.f_lasti < began or began <= line.offset <= frame.f_lasti

    def _is_of_capturing_frame(self, visited, step, stack):
        """Whether it is a variable that the capturing code itself gave a new value, as a loop does; `x += 1` is none."""
        if visited.before is not None:
            return False
        for frame in stack:
            scope = frame.f_globals if not frames.is_function(frame) else None
            if visited.root.frame == (id(frame), frame.f_code) or scope is visited.root.variables:
                began = self._began.get((id(frame), frame.f_code))
                if began is None:
                    continue
                own = stores.in_range(frame.f_code, step[1], began, frame.f_lasti)
                return any(not store.in_place for store in own)
        return False


class _Code:
    """The program's code that can be seen from a capture, looked for when it is first needed."""

    def __init__(self, stack):
        self._stack = stack
        self._codes = None
        self._region = None

    def region(self, began):
        """What a captured region may call, with where its frames were when the capture began."""
        if self._region is None:
            self._region = emptied.Region(self._stack, began, self.all())
        return self._region

    def all(self):
        if self._codes is None:
            self._codes = stores.codes_of(self._stack)
        return self._codes

    def advances(self, visited, step, kind):
        """The lines that may have moved a value on: those of its own class, if there are some."""
        path = (visited.path, *step)
        found = advances.find(path, kind, self.all())
        if step[0] == paths.ATTRIBUTE:
            methods = set(stores.of_class(type(visited.value)))
            found = [line for line in found if line.code in methods] or found
            name = stores.last_name(visited.path)
            found = [line for line in found if line.is_of(name, methods)] or found
        return found

    def draws(self, generator):
        """The lines that draw random numbers from a shared generator."""
        return advances.draws(generator, self.all(), self._scope)

    def _scope(self, code):
        for frame in self._stack:
            if frame.f_code.co_filename == code.co_filename:
                return frame.f_globals
        for module in list(sys.modules.values()):
            if getattr(module, "__file__", None) == code.co_filename:
                return vars(module)
        return None


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


class Drawn:
    """Random numbers that a capture drew on the host."""

    use = unread.READ

    def __init__(self, name, lines):
        self.name = name
        self.lines = lines
        self._samples = 0

    def add_steps(self, _steps):
        """What the code draws, it says."""

    def sample(self, _scopes, stack=()):
        """Counts the samples: what the program draws beside the replays changes nothing in the graph."""
        self._samples += bool(stack)

    def is_known(self):
        """Whether the graph was replayed more than once."""
        return self._samples >= SEEN

    def describe(self):
        return {
            "name": self.name,
            "before": "",
            "after": "",
            "is_length": False,
            "moved": False,
            "file": None,
            "line": None,
        }

    def told_lines(self):
        """The lines that draw."""
        return [line.describe() for line in self.lines]


class PerCapture:
    """Values that captures move on and that no eager call does, such as the number of captures or the next free slot."""

    def __init__(self):
        # By name: after the last capture, how many captures changed it, and whether it was left alone in between.
        self._known = {}

    def add(self, changes):
        """Takes note of what one more capture changed."""
        for change in changes:
            if type(change) is Drawn:
                continue
            last, captures, is_left_alone = self._known.get(change.name, (None, 0, True))
            if captures and (last is None or not same(last, change.before)):
                is_left_alone = False
            self._known[change.name] = (change.after, captures + 1, is_left_alone)

    def counts(self, change):
        """Whether a change may be one for the capture, and not one for each call."""
        _, captures, is_left_alone = self._known.get(change.name, (None, 0, False))
        return captures > 1 and (is_left_alone or change.is_inline)


def _plain_values(stack):
    """The plain values that can be reached: each with a key, what holds it, the step from there, and the object."""
    beginnings = search.roots(stack, only_own=True)
    for visited, step, value in search.walk(beginnings, only_own=True, values=VALUES):
        found = plain(value)
        if found is not None and not _is_of_queue(visited.value, step):
            root = visited.root
            yield (root.frame, root.module, visited.path, step), found, visited, step, value


def _is_of_queue(holder, step):
    """Whether it is what a queue counts for itself: `put` moves that on, and `get` does not."""
    return step == (paths.ATTRIBUTE, "unfinished_tasks") and isinstance(holder, queue.Queue)


def _ends_with_tensor(container):
    """Whether tensors are collected there: what a capture leaves in it is its static output, not state of the host."""
    tensor = sys.modules["torch"].Tensor
    return any(issubclass(type(part), tensor) for part in _last_parts(container))


def _ends_with_address(container):
    """Whether addresses of memory are collected there, which are those of the graph, and no replay has others."""
    low, high = ADDRESSES
    parts = _last_parts(container)
    return any(type(it) is int and low <= it < high and it % ALIGNED == 0 for it in parts)


def _last_parts(container):
    """What was put last into a container."""
    if type(container) is dict:
        last = next(reversed(container.values()), None)
    elif type(container) in (list, deque) and container:
        last = container[-1]
    else:
        return ()
    return last if type(last) in (tuple, list) else (last,)
