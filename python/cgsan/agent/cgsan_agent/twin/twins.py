"""The twins of a program's graphs: when they are made, and what is told of them."""

import contextlib
import marshal
import os
import sys
import threading
import time
import zlib

from ..exceptions import AGENT
from . import children, places, source

# Bytes kept of what regions did at their captures, for all graphs together.
KEPT = 64 << 20
# Children that run at the same time.
AT_ONCE = 4
# The share of a run's time that looks at replays may take in the program's own threads, and looks that are made anyway.
SHARE, ALWAYS = 0.01, 4
# Why a child has no answer.
NOT_ALLOWED = "it did something that a copy of the process must not do, or took too long"
# Graphs of one place that a region is compared with where it does not do what its own graph does.
ALIKE = 16


class Twin:
    """The region of one graph, and what it did when the capture began."""

    def __init__(self, found, variables, state, child):
        self.source = found
        self.variables = variables
        self.state = state
        self.took = 0.0
        self.told = set()
        self._child = child
        self._then = None
        self._has_tried_again = False

    def try_again(self, recorder, give):
        """Takes what the region does now for what it did at the capture, where it could not be run then: it may have had modules
        to load, which opens files."""
        if self._then is None and self._child is None and not self._has_tried_again:
            self._has_tried_again = True
            self._child = children.Child(recorder, children.LONGEST)
            self._child.run(lambda: _then(self.source, self.variables, None, self.state, give))

    def then(self):
        """What the region did when the capture began, as bytes; None if it could not be run then."""
        if self._child is not None:
            answer, self._child = self._child.answer(), None
            if answer is not None:
                self._then = zlib.compress(marshal.dumps(answer), 1)
        return self._then

    def drop(self):
        """Lets go of it."""
        if self._child is not None:
            self._child.drop()
            self._child = None


class Twins:
    """The twins of all graphs of a process."""

    def __init__(self, recorder):
        self._recorder = recorder
        self._mode = os.environ.get("CGSAN_TWIN", "auto")
        self._thread = threading.local()
        self._twins = {}
        self._running = []
        self._kept = 0
        self._spent = 0.0
        self._looks = 0
        self._began = time.monotonic()
        # By graph, why it is not compared.
        self._left_out = {}

    def capture_begins(self):
        """Runs the region once, as it is about to be captured."""
        self._thread.begun = None
        if self._mode == "never" or not self._recorder.can_clone():
            return
        started = time.monotonic()
        found, frame = source.of_stack(_caller())
        if found is None:
            self._thread.begun = frame
            return
        # Loaded here, and not in the child, which can open no file.
        from . import compare, names, results, world  # noqa: F401
        from . import variables as kept

        if not self._recorder.is_virtual and not self._twins:
            results.Nowhere.prepare()

        variables = kept.Variables(found, frame)
        state = world.State()
        child = children.Child(self._recorder, children.LONGEST)
        child.run(lambda: _then(found, variables, frame, state, self._give()))
        self._thread.begun = Twin(found, variables, state, child), started

    def capture_ended(self, graph):
        """The capture went well, and its graph has a number."""
        begun, self._thread.begun = getattr(self._thread, "begun", None), None
        if begun is None:
            return
        if isinstance(begun, str):
            self._left_out[graph] = begun
            return
        twin, started = begun
        twin.took = time.monotonic() - started
        self._twins[graph] = twin

    def look(self, graph, replay):
        """Runs the region of a graph that is about to be replayed, and compares it later."""
        self.collect()
        twin = self._twins.get(graph)
        if twin is None or graph in self._left_out:
            return
        began = time.monotonic()
        is_dear = self._spent > SHARE * (began - self._began)
        self._looks += 1
        if self._mode == "auto" and is_dear and replay > ALWAYS:
            return
        then = twin.then()
        if then is None:
            twin.try_again(self._recorder, self._give())
            then = twin.then()
        if then is None or self._kept + len(then) > KEPT:
            self._left_out[graph] = "its region cannot be run beside the program"
            return
        while len(self._running) >= AT_ONCE:
            self._running[0][2].wait()
            self.collect()
        others = self._others(twin, graph)
        frame = _running(twin.source.code)
        stay = self._names_that_stay(twin, graph, frame)
        child = children.Child(self._recorder, max(10 * twin.took, children.SHORTEST))
        child.run(lambda: _now(twin, then, others, frame, stay, self._give()))
        self._running.append((graph, replay, child))
        self._spent += time.monotonic() - began

    def collect(self, wait=False):
        """Tells what children have found that are over."""
        rest = []
        for graph, replay, child in self._running:
            if wait or child.has_ended():
                self._tell(graph, replay, child.answer())
            else:
                rest.append((graph, replay, child))
        self._running = rest

    def program_ends(self):
        """Waits for the children that are left."""
        self.collect(wait=True)
        for twin in self._twins.values():
            twin.drop()

    def _give(self):
        """What gives operators their results in a child."""
        from . import results

        return results.of_virtual_gpu if self._recorder.is_virtual else results.Nowhere()

    def _tell(self, graph, replay, answer):
        twin = self._twins[graph]
        if answer is None:
            answer = {"operators": 0, "differences": [], "stopped": NOT_ALLOWED, "draws": False}
        outcome = repr((answer["differences"], answer["stopped"]))
        if outcome in twin.told:
            return
        twin.told.add(outcome)
        for difference in answer["differences"]:
            if difference["kind"] in ("operators", "tensor"):
                places.point(difference)
        self._recorder.event({"event": "twin_compared", "graph": graph, "replay": replay, **answer})

    def _others(self, twin, graph):
        """What the regions of other graphs of this place did at their captures."""
        place = (twin.source.code, twin.source.line)
        found = []
        for number, other in self._twins.items():
            if number != graph and (other.source.code, other.source.line) == place:
                then = other.then()
                if then is not None:
                    found.append(then)
        return found[-ALIKE:]

    def _names_that_stay(self, twin, graph, frame):
        """The variables that are taken as they were at the capture: those that tell the graphs of one place apart."""
        if frame is None:
            return set()
        stay = twin.source.loop_variables(frame.f_lineno)
        own = twin.variables.plain()
        place = (twin.source.code, twin.source.line)
        for number, other in self._twins.items():
            if number != graph and (other.source.code, other.source.line) == place:
                plain = other.variables.plain()
                stay.update(name for name, value in own.items() if plain.get(name, value) != value)
        return stay


def _caller():
    """The frame that called into the agent."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(AGENT):
        frame = frame.f_back
    return frame


def _running(code):
    """The innermost frame of this thread that runs some code, or None."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code is not code:
        frame = frame.f_back
    return frame


def _then(found, variables, frame, state, give):
    """In a child: what the region does as it is captured."""
    from . import world

    twin = world.run(found, variables.now(frame, ()), state, give, None)
    return twin.operators, twin.stopped, list(twin.had_gradients)


def _now(twin, then, others, frame, stay, give):
    """In a child: what the region does now, beside what it did at the capture."""
    from . import compare, names, world

    operators, stopped, had_gradients = marshal.loads(zlib.decompress(then))
    variables = twin.variables.now(frame, stay)
    now = world.run(twin.source, variables, twin.state, give, set(had_gradients))
    found = now.operators, now.stopped
    differences = compare.compare((operators, stopped), found)
    if differences:
        for other in others:
            one, why, _ = marshal.loads(zlib.decompress(other))
            if not compare.compare((one, why), found):
                differences = []
                break
    with contextlib.suppress(Exception):
        names.add(differences, twin.source, variables)
    return {
        "operators": len(now.operators),
        "differences": differences,
        "stopped": stopped or now.stopped,
        "draws": now.draws,
    }
