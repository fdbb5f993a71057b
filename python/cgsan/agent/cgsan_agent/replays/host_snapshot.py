"""Plain values of the program when a capture begins, and which of them it has changed when it ends."""

from . import (
    advances,
    emptied,
    frames,
    host_values,
    last_entries,
    onlookers,
    paths,
    random_numbers,
    stores,
    unread,
    windows,
)
from .host_changes import Change, Slide
from .host_draws import Drawn
from .plain_values import BEGINNING, Entries, Position, kind_of, same
from .visible_code import VisibleCode

# Changes told of one capture.
CHANGES = 32


class Snapshot:
    """The plain values that can be reached when a capture begins, by path. It refers to no container."""

    def __init__(self, stack):
        own = [frame for frame in stack if frames.origin(frame.f_code.co_filename) == frames.OWN]
        # Where each frame was when the capture began.
        self._began = {(id(frame), frame.f_code): frame.f_lasti for frame in own}
        values = list(host_values.reachable(own)) if own else ()
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
        code = VisibleCode(stack)
        for name, before in self._random.items():
            generator = random_numbers.shared().get(name)
            if generator is not None and random_numbers.state(generator) != before:
                found[name] = Drawn(name, self._that_ran(code.draws(generator), stack))
        if not self._values or self._is_traced:
            return list(found.values())
        for before, after, visited, step, value in self.changed(stack):
            if self._is_of_capturing_frame(visited, step, stack):
                continue
            if last_entries.hold_address(value):
                continue
            lines = self._that_ran(code.advances(visited, step, kind_of(after)), stack)
            of_program = [line for line in lines if not self._is_of_onlooker(line.code)]
            if lines and not of_program:
                continue
            lines = of_program
            lines = self._of_region(lines, code, stack)
            capturing = {frame.f_code for frame in stack}
            inline = [line for line in lines if line.code in capturing]
            is_output = last_entries.hold_tensor(value)
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
                change.use = unread.use(visited, step, lines, code.all(), is_of_region)
            # A variable that a closure shares is met under the same name again.
            found.setdefault((change.name, change.line), change)
            if len(found) >= CHANGES:
                break
        return list(found.values())

    def changed(self, stack):
        """The values that are different now: each with what it was, what it is, what holds it, the step from there, and the object."""
        for key, after, visited, step, value in host_values.reachable(stack):
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

    def _is_emptied(self, path, code, stack):
        """Whether the region empties what it fills, so that each call leaves as much there."""
        is_of_region = self._region_of(code, stack)
        return any(is_of_region(*line) for line in emptied.lines(path, code.all()))

    def _region_of(self, code, stack):
        """What says whether an instruction may be of the region."""
        running = {frame.f_code: frame for frame in reversed(stack)}

        def is_of_region(each, instruction):
            if each in running:
                return self._is_amid(instruction, running[each])
            return each in code.region(self._began)

        return is_of_region

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
