"""What the agent reads off the instructions of functions, which each version of Python makes otherwise. Needs no PyTorch."""

import sys

sys.path.insert(0, sys.argv[1])

from cgsan_agent.replays import bytecode


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


def facts(code):
    own = bytecode.instructions(code)
    names = [it for it in own if it.name.startswith(("LOAD_ATTR", "LOAD_METHOD"))]
    replay = next(it.offset for it in names if it.value == "replay")
    loop = bytecode.outermost_loop(code, replay)
    return (
        bytecode.is_set_under_condition(code, "kept", loop),
        bytecode.is_used(code, "kept", loop),
        bytecode.is_read_later(code, replay, "kept"),
    )


found = {it.__name__: facts(it.__code__) for it in EXPECTED}
expected = {it.__name__: facts for it, facts in EXPECTED.items()}
assert found == expected, (sys.version_info, found)
assert facts(compile(MODULE, "module", "exec")) == (True, False, False), sys.version_info
