"""What is told of each graph: at its capture, at sampled replays, and when the program ends."""

import contextlib
import sys
import threading
import time
import weakref

from .. import budget, memory
from ..twin import twins
from . import (
    frames,
    gradients,
    graphed_calls,
    graphed_modules,
    holders,
    host_snapshot,
    host_sources,
    messages,
    optimizers,
    outputs,
    per_capture,
    remembered,
    samples,
    search,
    storages,
    stores,
    unowned_gradients,
    unread,
    waiting,
    weak,
)
from .places import Scopes
from .tensors import Tensors

# Graphs looked after: a program with more of them makes them anew all the time.
GRAPHS = 1_000
# After how many samples a value counts as one that no replay changes.
SETTLED = 3
# Why a graph is not compared that is not looked after.
UNKNOWN = "its capture was not seen"


class Graph:
    """What is known of one graph. The graph itself is referred to weakly."""

    def __init__(self, number):
        self.number = number
        self.replays = 0
        self.samples = 0
        self.named = []
        # Where the frames of the program were when the capture ended: the offsets of their instructions.
        self.captured = {}
        self.outputs = None
        self.waiting = None
        self.remembered = None
        self.optimizers = None
        self.unowned = None
        self.host_sources = host_sources.HostSources()
        # The addresses of the storages that its capture made and left alive.
        self.made = ()
        # Those of the storages from before the capture that it copies into, the host's included.
        self.buffers = ()
        self.changes = []
        # What was told last, so as to tell only what is new.
        self.told = {}

    def meet(self, address, kind, tensor, gradient_of=None):
        """Takes note of a tensor that a name of the program leads to, and of what it is the gradient of, if it is one."""
        is_gradient = gradient_of is not None
        if kind == storages.OUTPUT or address in self.buffers:
            self.outputs.meet(address, tensor, is_gradient, address in self.buffers)
        if is_gradient:
            self.unowned.meet(address, gradient_of)


class Watch:
    """Gathers the facts and hands them to the recorder."""

    def __init__(self, recorder, graph_class):
        # The class that has the method `replay` itself, and not from another one.
        owner = next((base for base in graph_class.__mro__[::-1] if "replay" in vars(base)), None)
        weak.let_pytorch_swap()
        self._recorder = recorder
        self._thread = threading.local()
        self._graphs = {}
        self._captured = 0
        self._memory = memory.Memory(recorder)
        self._per_capture = per_capture.PerCapture()
        self._tensors = None
        self._twins = twins.Twins(recorder)
        self._messages = messages.Messages(recorder)
        self._graphed_calls = graphed_calls.GraphedCalls()
        self._descriptor = None
        self._more_looks = budget.Budget(
            *(samples.VIRTUAL if recorder.is_virtual else samples.REAL)
        )
        self._calls = samples.Calls(recorder, self.replays)
        if not self._calls.are_made and owner is not None:
            self._descriptor = samples.CountedMethod(owner, "replay", self.replays)

    def capture_begins(self):
        """Notes the state of the host and of the allocator before a capture."""
        self._thread.before = None
        self._thread.captures = True
        self._memory.look("before_capture")
        if len(self._graphs) < GRAPHS:
            self._thread.before = host_snapshot.Snapshot(frames.of_stack())
            with contextlib.suppress(Exception):
                self._twins.capture_begins()
        with contextlib.suppress(Exception):
            self._messages.capture_begins()

    def capture_ends(self):
        """Notes the state of the allocator when a capture is about to end, well or not."""
        with contextlib.suppress(Exception):
            self._messages.capture_ends()
        if getattr(self._thread, "captures", False):
            self._thread.captures = False
            self._thread.is_told = self._memory.capture_ends()

    def capture_ended(self, graph):
        """Tells what the capture read and left, and under which names. Returns the number of the graph, if it is looked after."""
        with contextlib.suppress(Exception):
            if not getattr(self._thread, "is_told", True):
                self._memory.capture_ended(_pool(graph))
        before, self._thread.before = getattr(self._thread, "before", None), None
        if before is None:
            return None
        self._tell_captured(graph, before)
        number = self._captured
        with contextlib.suppress(Exception):
            self._twins.capture_ended(number)
        if self._descriptor is not None:
            self._descriptor.begin()
        return number

    def compare(self, graph, alike):
        """What the region of a graph would do now, beside what the graph does, or why that is not known."""
        known = self._of(graph)
        return self._twins.compare(known.number, alike) if known is not None else UNKNOWN

    def compared(self, number):
        """How many replays of the graph with a number were compared with eager runs of its region, and if none was, why."""
        return self._twins.compared(number)

    def _tell_captured(self, graph, before):
        stack = frames.of_stack()
        self._captured += 1
        known = Graph(self._captured)
        key = id(graph)
        self._graphs[key] = (weakref.ref(graph, lambda _: self._graphs.pop(key, None)), known)
        known.changes = before.changes(stack)
        self._per_capture.add(known.changes)
        known.captured = {(id(frame), frame.f_code): frame.f_lasti for frame in stack}
        captured, known.buffers = _storages(self._recorder)
        known.made = [address for address, kind in captured.items() if kind == storages.OUTPUT]
        tensors = self._reader()
        known.outputs = outputs.Outputs(sys.modules["torch"], tensors)
        known.waiting = waiting.Waiting(tensors)
        known.remembered = remembered.Remembered(tensors)
        known.optimizers = optimizers.Optimizers(tensors)
        known.unowned = unowned_gradients.UnownedGradients(tensors)
        with tensors.undispatched():
            known.named = storages.find(
                tensors, search.roots(stack), captured, known.meet, known.optimizers.meet
            )
            for output, is_gradient in outputs.of_graphed_callables(tensors):
                address = tensors.storage(output)
                if captured.get(address) == storages.OUTPUT:
                    known.outputs.meet(address, output, is_gradient, address in known.buffers)
            buffers = known.optimizers.gradients_in(captured)
            known.unowned.leave_out(buffers)
            names = storages.names(known.named, captured, known.optimizers)
        self._recorder.event(
            {"event": "graph_captured", "graph": known.number, "pool": _pool(graph), "names": names}
        )
        self._tell_buffers(known, buffers)

    def _tell_buffers(self, known, buffers):
        if buffers:
            self._recorder.event(
                {"event": "gradient_buffers", "graph": known.number, "buffers": buffers}
            )

    def replays(self, graph, number):
        """Looks at a replay that is about to happen, if its number says so. `number` is None where it is not counted yet."""
        known = self._of(graph)
        if known is None:
            return False
        known.replays = number if number is not None else known.replays + 1
        if samples.is_sample(known.replays):
            self._look(known)
        elif number is not None and not self._more_looks.is_spent():
            began = time.monotonic()
            self._look(known)
            self._more_looks.spend(began)
        else:
            return False
        return True

    def _look(self, known):
        """Looks at a graph that is about to be replayed."""
        known.samples += 1
        self._memory.look_if_changed("replay")
        stack = frames.of_stack()
        with self._reader().undispatched():
            self._sample(known, stack)
        with contextlib.suppress(Exception):
            forward = self._graphed_calls.look(known.number)
            if forward is not None:
                self._event("backward_of_earlier", known, forward=forward)
        with contextlib.suppress(Exception):
            self._twins.look(known.number, known.replays)
        with self._reader().undispatched():
            self._sample_changes(known, stack)

    def living(self):
        """The graphs that are alive, with the names that lead to them."""
        graphs = [(reference(), known.number) for reference, known in list(self._graphs.values())]
        return holders.of_graphs([it for it in graphs if it[0] is not None])

    def program_ends(self):
        """Looks at all graphs and at the allocator for the last time."""
        if self._descriptor is not None:
            self._descriptor.end()
        self._recorder.call_at_replays(None)
        with contextlib.suppress(Exception):
            self._twins.program_ends()
        with contextlib.suppress(Exception):
            self._memory.program_ends()
        for reference, known in list(self._graphs.values()):
            if reference() is not None and known.samples:
                with contextlib.suppress(Exception), self._reader().undispatched():
                    self._look_at_end(known)

    def _sample(self, known, stack):
        codes = _Once(lambda: stores.codes_of(stack))
        # First, since what is looked at below is referred to meanwhile.
        scopes = Scopes(stack)
        with contextlib.suppress(Exception):
            around = storages.around(known.named, scopes)
            found = known.outputs.sample(lambda: search.roots(stack), codes, around)
            self._tell_kept(known, found)
        with contextlib.suppress(Exception):
            results = known.outputs.results()
            self._tell_kept(known, known.waiting.look(results))
            self._tell_kept(known, known.remembered.look(results, stack, codes))
        with contextlib.suppress(Exception):
            held = storages.held(self._tensors, known.named, scopes)
            found, uses, parameters = storages.rebound(
                self._tensors, held, scopes, codes, known.captured
            )
            if found:
                self._event("inputs_rebound", known, names=found, uses=uses, parameters=parameters)
                self._twins.ask(known.number, known.replays, [it["old"] for it in found])
            self._tell_gradients(known, held)
            changed = known.host_sources.sample(self._tensors, held, known.replays)
            if changed:
                self._event("host_sources_changed", known, sources=changed)
        with contextlib.suppress(Exception):
            self._tell_buffers(known, known.unowned.look(lambda: search.roots(stack)))
        with contextlib.suppress(Exception):
            changes = known.optimizers.changes()
            if changes:
                self._event("optimizer_changed", known, changes=changes)
        with contextlib.suppress(Exception):
            module = graphed_modules.of_stack()
            if module is not None:
                self._tell_news("hooks_skipped", known, hooks=graphed_modules.skipped_hooks(module))

    def _sample_changes(self, known, stack):
        scopes = Scopes(stack)
        steps = self._twins.steps(known.number)
        for change in known.changes:
            with contextlib.suppress(Exception):
                change.add_steps(steps)
                change.sample(scopes, stack)
        if known.samples >= SETTLED:
            with contextlib.suppress(Exception):
                self._tell_changes(known)

    def _look_at_end(self, known):
        scopes = Scopes([])  # All functions have returned.
        around = storages.around(known.named, scopes)
        self._tell_kept(known, known.outputs.at_end(search.of_main, around))
        self._tell_gradients(known, storages.held(self._tensors, known.named, scopes))
        for change in known.changes:
            change.sample(scopes)
        self._tell_changes(known, at_end=True)

    def _tell_kept(self, known, containers):
        if containers:
            added = [container.pop("added") for container in containers]
            self._event(
                "outputs_kept",
                known,
                containers=containers,
                added=added,
                gradients=known.outputs.gradients(),
                growing=known.outputs.growing(),
            )

    def _tell_gradients(self, known, held):
        made = {}
        for _, other in list(self._graphs.values()):
            made.update(dict.fromkeys(other.made, other.number))
        if made:
            found, tensors = gradients.static(self._tensors, held, made)
            self._tell_news("gradients", known, gradients=found, tensors=tensors)

    def _tell_changes(self, known, at_end=False):
        settled = [
            change
            for change in known.changes
            if change.is_known() and not self._is_left_alone(known, change, at_end)
        ]
        lines = [
            [] if self._per_capture.counts(change) else change.told_lines() for change in settled
        ]
        self._tell_news("host_state", known, changes=[it.describe() for it in settled], lines=lines)

    def _is_left_alone(self, known, change, at_end):
        """Whether a change matters to nobody, as far as is known by now. Whether what it chooses is as it was, the twin says."""
        if change.use == unread.CHOOSES:
            return self._twins.agrees(known.number, at_end)
        return change.use == unread.UNREAD

    def _tell_news(self, event, known, **facts):
        """Records an event, unless it has nothing to tell or the same was told before."""
        news = list(facts.values())
        if news[0] and known.told.get(event) != news:
            known.told[event] = news
            self._event(event, known, **facts)

    def _event(self, event, known, **facts):
        self._recorder.event(
            {"event": event, "graph": known.number, "replay": known.replays, **facts}
        )

    def _reader(self):
        if self._tensors is None:
            self._tensors = Tensors()
        return self._tensors

    def _of(self, graph):
        reference, known = self._graphs.get(id(graph), (None, None))
        return known if reference is not None and reference() is graph else None


class _Once:
    """What a function gives, computed when it is first asked for."""

    def __init__(self, compute):
        self._compute = compute
        self._found = None

    def __call__(self):
        if self._found is None:
            self._found = self._compute()
        return self._found


def _storages(recorder):
    """What the last capture has to do with: the kinds of storages by address, and the addresses of those that it copies into."""
    captured, buffers = {}, set()
    for address, _, kind in recorder.capture_storages():
        if kind in (storages.COPIED_INTO, storages.HOST_RESULT):
            buffers.add(address)
        if kind == storages.HOST_RESULT:
            # The program may copy to the device from there as well.
            captured.setdefault(address, kind)
        else:
            captured[address] = storages.INPUT if kind == storages.COPIED_INTO else kind
    return captured, buffers


def _pool(graph):
    try:
        return tuple(graph.pool())
    except Exception:
        return None
