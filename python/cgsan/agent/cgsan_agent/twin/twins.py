"""The twins of a program's graphs: when they are made, and what is told of them."""

import collections
import copy
import functools
import marshal
import os
import resource
import sys
import threading
import time
import zlib

from .. import budget
from ..exceptions import AGENT
from . import callers, children, looks, places, registered, source, tally, without_capture
from .then import Then

# Bytes kept of what regions did at their captures, for all graphs together.
KEPT = 64 << 20
# Children that run at the same time.
AT_ONCE = 4
# The share of a run's time that looks at replays may take in the program's own threads, and seconds that they may take anyway.
SHARE, ANYWAY = 0.005, 0.15
# The same share with `--verify`, for which they also wait.
VERIFYING = 0.5
# Copies of a graph's process that end without an answer, after which there are no more.
ENDED = 2
# Children that took too long or would have waited for ever, one after the other, after which there are no more.
LOST = 3
# Seconds that a program waits in all, before replays, for what regions did at captures and for earlier looks: a short program is over
# before they are. What a region did whose capture took longer than `QUICK` seconds is not waited for: later replays are looked at.
PATIENCE, QUICK = 0.25, 0.05
# Bytes that a process may hold to be copied without being asked: to copy its tables takes 25 ms for each GiB.
LARGE = 8 << 30
# Why a region is not compared at all, and why a child has no answer.
NOT_RUN = "a copy of the process cannot run the captured code"
TOO_LARGE = "the process is too large to copy it without `--twin always`"
NOT_ASKED = "`--twin never` leaves it out"
NOT_COPIED = "no copy of this process can be made"
LOST_TOO_OFTEN = "copies of the process that run such code did not end"
# How often the same differences are told: what the program writes before one replay, it may not before the next.
TOLD = 3
# Differences whose place may be one that has nothing to do with them.
POINTED = ("operators", "tensor")
# Of later replays whose numbers are powers of two, one at least is compared anew, whatever is as it was.
ANEW = 8
# Other graphs that a region is compared with where it does not do what its own does: the program may be at their turn.
ALIKE = 16


class Twin:
    """The region of one graph, and what it did when the capture began."""

    def __init__(self, found, variables, state, child):
        self.source = found
        self.variables = variables
        self.state = state
        self.told = collections.Counter()
        # Whether it did something else at a replay.
        self.differs = False
        # How many copies of the process have ended without an answer at its replays.
        self.ended = 0
        # When its capture began, and how long it took, in seconds.
        self.began, self.took = time.monotonic(), 0.0
        self._child = child
        self._then = None
        self._has_tried_again = False
        # Whether a child that was to say what it did took too long, or would have waited for another thread.
        self.was_lost = False
        # Why it is not known what it did.
        self.why_none = NOT_RUN
        # Whether the program's own code asked in the region if a capture runs.
        self.asks = False
        # The values of the host that the region moves on each time it runs, each with the line.
        self.steps = ()
        # Whether what decides what the region does may be known by a number; random numbers of the host are not.
        self.has_reach = True
        # The newest copy of the process that ran it at a replay.
        self.newest = None
        # By replay, where storages begin of which a name leads elsewhere: whether the region still reads them is told.
        self.asked_of = {}

    def try_again(self, recorder, give, frame, stay):
        """Takes what the region does now for what it did at the capture, where it could not be run then: it may have had modules
        to load, which opens files, or another thread may have held a lock."""
        if self._then is None and self._child is None and not self._has_tried_again:
            from . import runs

            self._has_tried_again = True
            self._child = children.Child(recorder)
            self._child.run(
                lambda: runs.then(self.source, self.variables, frame, stay, self.state, give)
            )

    def is_ready(self, longest):
        """Whether it is known what it did, after some time at most."""
        return self._child is None or self._child.wait(longest)

    def then(self):
        """What the region did when the capture began, as bytes; None if it could not be run then."""
        if self._child is not None:
            answer = self._child.answer()
            self.was_lost = self._child.was_lost()
            self.why_none = self._child.why_none()
            self._child = None
            if answer is not None:
                told = Then(*answer)
                self.asks, self.has_reach, self.steps = bool(told.asked), not told.draws, told.steps
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
        self._twins = {}
        # Graphs of which it was found out what their regions did at their captures.
        self._known = set()
        self._running = []
        self._lock = threading.Lock()
        # By thread, the twin of the capture that it has begun, or why there is none.
        self._begun = {}
        self._kept = 0
        self._lost = 0
        self._is_verifying = bool(os.environ.get("CGSAN_VERIFY"))
        self._budget = budget.Budget(VERIFYING if self._is_verifying else SHARE, ANYWAY)
        self._patience = PATIENCE
        self._tally = tally.Tally()
        self._without_capture = without_capture.WithoutCapture(recorder)
        # By graph, why it is not compared.
        self._left_out = {}

    def capture_begins(self):
        """Runs the region once, as it is about to be captured."""
        thread = threading.get_ident()
        self._drop(self._begun.pop(thread, None))  # Its capture has failed.
        if self._mode == "never" or not self._recorder.can_clone() or self._lost >= LOST:
            return
        found, frame = source.of_stack(_caller())
        if found is not None and self._mode == "auto" and _resident() > LARGE:
            found, frame = None, TOO_LARGE
        if found is None:
            self._begun[thread] = frame
            return
        # Loaded here, and not in the child, which can open no file.
        from . import results, runs, world  # noqa: F401
        from . import variables as kept

        registered.listen()
        variables = kept.Variables(found, frame)
        state = world.State(self._recorder.follow_launches)
        child = children.Child(self._recorder)
        child.run(lambda: runs.then(found, variables, frame, (), state, self._give()))
        self._begun[thread] = Twin(found, variables, state, child)

    def capture_ended(self, graph):
        """The capture went well, and its graph has a number."""
        twin = self._begun.pop(threading.get_ident(), None)
        if isinstance(twin, str):
            self._left_out[graph] = twin
        elif twin is not None:
            twin.took = time.monotonic() - twin.began
            self._twins[graph] = twin

    def steps(self, graph):
        """The values of the host that a graph's region moves on each time it runs, each with the line, as far as that is known by now."""
        twin = self._twins.get(graph)
        return twin.steps if twin is not None else ()

    def ask(self, graph, replay, addresses):
        """Has it told of the next look at a graph whether its region still reads what lies at these addresses."""
        twin = self._twins.get(graph)
        if twin is not None:
            twin.asked_of[replay] = set(addresses)

    def look(self, graph, replay):
        """Runs the region of a graph that is about to be replayed, and compares it later; not while another thread does so."""
        if self._lock.acquire(blocking=False):
            try:
                self._look(graph, replay)
            finally:
                self._lock.release()

    def _look(self, graph, replay):
        self._collect()
        twin = self._twins.get(graph)
        if twin is None or graph in self._left_out:
            return
        if self._is_too_dear():
            self._tally.left_out(graph, tally.TOO_DEAR)
            return
        if not self._is_ready(twin):
            return
        began = time.monotonic()
        now, find_variables, given = self._now_of(graph, twin)
        if now is None:
            self._left_out[graph] = twin.why_none
            return
        self._without_capture.compare(graph, replay, twin, twin.then(), find_variables)
        reach = self._reach(twin, find_variables, given)
        if not self._is_as_before(twin, reach, replay):
            while len(self._running) >= AT_ONCE:
                if not self._waits(self._running[0].child.wait):
                    self._budget.spend(began)
                    return
                self._collect()
            child = children.Child(self._recorder)
            child.run(now)
            twin.newest = looks.Look(graph, replay, reach, child)
            self._running.append(twin.newest)
        self._budget.spend(began)

    def _is_ready(self, twin):
        """Whether it is known what a region did at its capture. A program that is not to wait does so for a quick one."""
        if not self._hurries():
            return True
        return self._waits(twin.is_ready) if twin.took < QUICK else twin.is_ready(0)

    def _waits(self, is_over):
        """Whether something is over, which is waited for as long as the program may be kept."""
        if not self._hurries():
            return is_over(children.SECONDS)
        began = time.monotonic()
        outcome = is_over(self._patience)
        self._patience = max(0.0, self._patience - (time.monotonic() - began))
        return outcome

    def _reach(self, twin, find_variables, given):
        """What the region could come upon now, as a number, what callers are given, and how many graphs it is compared with; None where
        that does not decide what it does, or cannot be known."""
        if not twin.has_reach:
            return None
        from . import reach

        found = reach.fingerprint(twin.source, find_variables())
        twin.has_reach = found is not None
        return (found, given, len(self._twins)) if twin.has_reach else None

    def _is_as_before(self, twin, reach, replay):
        """Whether a region has nothing to do otherwise than at the last replay for which it was run: then it has the same outcome
        at this one."""
        newest = twin.newest
        is_due = replay >= ANEW and not replay & (replay - 1)
        if newest is None or reach is None or newest.reach != reach or is_due:
            return False
        if newest.is_over():
            self._tell(newest.graph, replay, newest.answer, newest.why_none)
        else:
            newest.replays.append(replay)
        return True

    def _now_of(self, graph, twin, alike=()):
        """What a child does to run the region now and to compare it, None if what it did at the capture is not known; what finds the
        variables of the region; and what callers are given otherwise than at the capture."""
        if not twin.source.is_there():
            return None, None, {}
        frame = callers.running(twin.source.code)
        stay = self._names_that_stay(twin, graph, frame)
        numbers = {}
        if frame is None:
            numbers = twin.variables.passed_on(self._numbers_that_stay(twin, graph))
        then = self._what_it_did(graph, twin, frame, stay)
        if then is None:
            return None, None, {}
        from . import runs

        others = self._others(twin, graph)
        variables = functools.partial(runs.variables, twin, frame, stay, numbers)
        of_capture = twin.variables.of_capture(frame, stay)
        give = self._give()
        given = twin.variables.given.now(it.variables.given for it in self._of_place(twin, graph))

        def now():
            return runs.now(twin, then, others, variables, of_capture, given, give, alike)

        return now, variables, given

    def _hurries(self):
        """Whether the program is not to wait for children."""
        return self._mode == "auto" and not self._recorder.is_virtual and not self._is_verifying

    def compare(self, graph, alike):
        """What the region of a graph would do now, beside what the graph does, or why that is not known. `alike` are pairs of
        addresses whose tensors hold the same."""
        with self._lock:
            self._collect()
            twin = self._twins.get(graph)
            now = self._now_of(graph, twin, alike)[0] if twin is not None else None
            if now is None:
                return self._left_out.get(graph, self._why_none() or NOT_RUN)
            child = children.Child(self._recorder)
            child.run(now)
            answer = child.answer()
        if answer is None:
            return child.why_none()
        for difference in answer["differences"]:
            if difference["kind"] in POINTED:
                places.point(difference)
        return answer

    def compared(self, graph):
        """How many replays of a graph were compared, and if none was, why."""
        if graph in self._twins:
            count, reason = self._tally.of(graph)
            return count, None if count else self._left_out.get(graph, reason)
        return 0, self._left_out.get(graph) or self._why_none() or NOT_RUN

    def agrees(self, graph, at_end):
        """Whether its region does at each compared replay what the graph does; until the program ends, it may do so yet."""
        twin = self._twins.get(graph)
        if twin is None or graph in self._left_out or twin.differs:
            return False
        return not at_end or self._tally.of(graph)[0] > 0

    def _why_none(self):
        """Why there are no twins at all, if that is so."""
        if self._mode == "never":
            return NOT_ASKED
        if not self._recorder.can_clone():
            return NOT_COPIED
        return LOST_TOO_OFTEN if self._lost >= LOST else None

    def _collect(self, wait=False):
        """Tells what children have found that are over."""
        rest = []
        for look in self._running:
            if wait or look.child.has_ended():
                child = look.child
                look.end()
                self._lost = self._lost + 1 if child.was_lost() else 0
                for replay in look.replays:
                    self._tell(look.graph, replay, look.answer, look.why_none)
            else:
                rest.append(look)
        self._running = rest

    def program_ends(self):
        """Waits for the children that are left."""
        self._lock.acquire(timeout=2 * children.SECONDS)  # Another thread may be at a replay still.
        self._collect(wait=True)
        for begun in list(self._begun.values()):
            self._drop(begun)
        for twin in self._twins.values():
            twin.drop()
        told = [it for it in self._left_out.items() if it[1] != source.BACKWARD]
        if told:
            self._recorder.event({"event": "twins_left_out", "graphs": sorted(told)})

    def _is_too_dear(self):
        is_dear = not self._recorder.is_virtual and self._budget.is_spent()
        return self._lost >= LOST or (self._mode == "auto" and is_dear)

    def _what_it_did(self, graph, twin, frame, stay):
        """What the region did at the capture; None if it could not be run, or there is no room for more."""
        then = twin.then()
        if then is None:
            twin.try_again(self._recorder, self._give(), frame, stay)
            then = twin.then()
        if then is None:
            self._lost += twin.was_lost
            return None
        if graph not in self._known:
            self._known.add(graph)
            self._kept += len(then)
            if twin.asks:
                variables = twin.variables.now(frame, stay)
                told = self._without_capture.operators(twin, then, self._give(), variables)
                if told is not None:
                    self._tell(graph, 0, told, None)
        return then if self._kept <= KEPT else None

    @staticmethod
    def _drop(begun):
        if isinstance(begun, Twin):
            begun.drop()

    def _give(self):
        """What gives operators their results in a child."""
        from . import results

        return results.of_virtual_gpu if self._recorder.is_virtual else results.Nowhere()

    def _tell(self, graph, replay, answer, why_none):
        twin = self._twins[graph]
        if answer is None:
            twin.ended += 1
            if twin.ended >= ENDED:
                self._left_out[graph] = why_none
            answer = {"operators": 0, "differences": [], "stopped": why_none, "draws": False}
        answer = copy.deepcopy(answer)
        answer.pop("is_of_another", None)
        asked_of = twin.asked_of.pop(replay, None)
        still_read = answer.pop("still_read", ())
        if asked_of is not None:
            answer["still_read"] = sorted(asked_of.intersection(still_read))
        if replay > 0:
            self._tally.compared(graph, answer["stopped"])
        told = (
            answer["differences"],
            answer["stopped"],
            answer["draws"],
            answer.get("moved"),
            answer.get("cause"),
            answer.get("set_by"),
        )
        twin.differs = twin.differs or bool(answer["differences"])
        outcome = repr(told)
        twin.told[outcome] += 1
        if twin.told[outcome] > (TOLD if answer["differences"] else 1) and asked_of is None:
            return
        for difference in answer["differences"]:
            if difference["kind"] in POINTED:
                places.point(difference)
        self._recorder.event({"event": "twin_compared", "graph": graph, "replay": replay, **answer})

    def _others(self, twin, graph):
        """What the regions of other graphs did at their captures, those of this place first."""
        place = (twin.source.code, twin.source.line)
        others = [it for number, it in list(self._twins.items()) if number != graph]
        others.sort(key=lambda it: (it.source.code, it.source.line) != place)
        found = (it.then() for it in others[:ALIKE])
        return [then for then in found if then is not None]

    def _names_that_stay(self, twin, graph, frame):
        """The variables that are taken as they were at the capture: those that tell the graphs of one place apart."""
        if frame is None and not twin.variables.are_shared():
            return set()
        stay = self._numbers_that_stay(twin, graph)
        if frame is not None:
            stay |= twin.source.loop_variables(frame.f_lineno)
        for other in self._of_place(twin, graph):
            stay.update(twin.variables.of_another(frame, other.variables))
        return stay

    def _numbers_that_stay(self, twin, graph):
        """The plain values among them."""
        own = twin.variables.plain()
        others = [it.variables.plain() for it in self._of_place(twin, graph)]
        return {
            name
            for name, value in own.items()
            if any(plain.get(name, value) != value for plain in others)
        }

    def _of_place(self, twin, graph):
        """The twins of the other graphs of the same place."""
        place = (twin.source.code, twin.source.line)
        return [
            it
            for number, it in list(self._twins.items())
            if number != graph and (it.source.code, it.source.line) == place
        ]


def _resident():
    """Bytes that this process holds in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def _caller():
    """The frame that called into the agent."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(AGENT):
        frame = frame.f_back
    return frame
