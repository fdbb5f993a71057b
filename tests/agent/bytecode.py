"""What the agent reads off the instructions of functions, which each version of Python makes otherwise. Needs no PyTorch."""

import sys

sys.path.insert(0, sys.argv[1])

from cgsan_agent.replays import bytecode, spots

KEPT = spots.Spot("kept")


def best(graph, y):
    kept, score = None, 0
    for _ in range(5):
        graph.replay()
        if graph.score() > score:
            kept, score = y, graph.score()
    return kept


def newest(graph, y):
    kept = None
    for _ in range(5):
        graph.replay()
        kept = y
    return kept


def last_good(graph, y):
    kept = None
    for _ in range(5):
        graph.replay()
        if graph.failed():
            break
        kept = y
    return kept


def skipped(graph, y):
    kept = None
    for _ in range(5):
        graph.replay()
        if graph.failed():
            continue
        kept = y
    return kept


def one_or_other(graph, y):
    for _ in range(5):
        graph.replay()
        if graph.failed():
            kept = graph.reset()
        else:
            graph.keep(y)
            kept = y
    return kept


def compared(graph, y):
    kept = None
    for _ in range(5):
        graph.replay()
        if kept is None or kept.sum() < y.sum():
            kept = y
    return kept


def last_of_the_turn_before(graph, y):
    kept = None
    for _ in range(5):
        graph.replay()
        if kept is not None:
            graph.compare(kept.sum())
        kept = y


def read_before_the_next(graph, y):
    kept = y
    for _ in range(5):
        graph.feed(kept)
        graph.replay()
        kept = y
        graph.compare(kept)


def form_of_the_turn_before(graph, y):
    kept = y
    for _ in range(5):
        graph.replay()
        graph.compare(kept.shape, kept is y)
        kept = y


def one_beside_the_next(graph, y):
    kept = y[0]
    graph.replay()
    after = y[0]
    return graph.compare(kept, after)


def one_beside_the_output(graph, y):
    kept = y
    graph.replay()
    return kept.sum() - y.sum()


def an_alias(graph, y):
    kept = y
    graph.replay()
    after = y
    graph.compare(kept)
    graph.compare(after)
    return kept is after, kept.data_ptr() == y.data_ptr()


def read_in_each_turn(graph, y):
    kept = y
    for _ in range(5):
        graph.replay()
        graph.compare(kept)
    return kept.sum() - y.sum()


def summed_up(graph, y):
    kept = y
    for _ in range(5):
        graph.replay()
        kept += y
    return kept


class Kept:
    def turn_before(self, graph):
        graph.replay()
        moved = graph.compare(self.kept, self.y)
        self.kept = self.y
        return moved

    def newest(self, graph):
        graph.replay()
        self.kept = self.y
        return self.kept.sum()

    def not_always(self, graph):
        graph.replay()
        if graph.compare(self.kept):
            return None
        self.kept = self.y
        return self.kept.sum()


# Whether `kept` has what the turn before left there, or one statement reads it beside what is had in the same way behind the replay.
IN_VAIN = {
    newest: (False, False),
    compared: (False, True),
    last_of_the_turn_before: (True, False),
    read_before_the_next: (False, False),
    form_of_the_turn_before: (False, False),
    one_beside_the_next: (False, True),
    one_beside_the_output: (False, True),
    an_alias: (False, False),
    read_in_each_turn: (False, False),
    summed_up: (False, False),
    Kept.turn_before: (True, True),
    Kept.newest: (False, False),
    Kept.not_always: (False, False),
}

# Whether a loop sets `kept` under a condition, whether it uses it, and whether it is read behind the replay before it is set anew.
EXPECTED = {
    best: (True, False, True),
    newest: (False, False, False),
    last_good: (True, False, True),
    skipped: (True, False, True),
    one_or_other: (True, False, False),
    compared: (True, True, True),
}

MODULE = """
kept = None
for _ in range(5):
    graph.replay()
    if graph.score():
        kept = y
rows = [kept + 1 for kept in range(3)]
"""


def replay_of(code):
    own = bytecode.instructions(code)
    names = [it for it in own if it.name.startswith(("LOAD_ATTR", "LOAD_METHOD"))]
    return next(it.offset for it in names if it.value == "replay")


def facts(code):
    replay = replay_of(code)
    loop = bytecode.outermost_loop(code, replay)
    return (
        spots.is_set_under_condition(code, KEPT, loop),
        spots.is_used(code, KEPT, loop),
        spots.is_read_later(code, replay, KEPT),
    )


found = {it.__name__: facts(it.__code__) for it in EXPECTED}
expected = {it.__name__: facts for it, facts in EXPECTED.items()}
assert found == expected, (sys.version_info, found)
assert facts(compile(MODULE, "module", "exec")) == (True, False, False), sys.version_info


def in_vain(function):
    code = function.__code__
    spot = spots.Spot("self", "kept") if "." in function.__qualname__ else KEPT
    replay = replay_of(code)
    return (
        spots.is_renewed_each_turn(code, replay, spot),
        spots.is_beside_the_next(code, replay, spot),
    )


found = {it.__qualname__: in_vain(it) for it in IN_VAIN}
expected = {it.__qualname__: facts for it, facts in IN_VAIN.items()}
assert found == expected, (sys.version_info, found)
