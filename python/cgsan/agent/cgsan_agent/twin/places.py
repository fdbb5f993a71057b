"""The line that decides what a region does, where the operator itself stands in a function that has nothing to do with it."""

import ast

from . import compare, source

LOOPS = (ast.For, ast.While, ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)


def point(difference):
    """Has the stacks of a difference begin at the frame that decides: where the two sides part, or that goes through a loop."""
    then, now = (difference[side] and difference[side]["stack"] for side in ("then", "now"))
    if not (then and now):
        return
    shared = compare.common(then[::-1], now[::-1])
    if shared < min(len(then), len(now)):
        first = len(then) - shared - 1, len(now) - shared - 1
    else:
        # The last is the region's own: what goes around it is no part of it.
        looping = next((it for it, frame in enumerate(then[:-1]) if _is_in_loop(frame)), 0)
        first = looping, max(looping - len(then) + len(now), 0)
    for side, cut in zip(("then", "now"), first, strict=False):
        difference[side]["stack"] = difference[side]["stack"][cut:]


def _is_in_loop(frame):
    """Whether the line of a frame is run again and again by its own function."""
    tree = source.tree_of(frame["file"], {})
    if tree is None:
        return False
    return _loops(tree, frame["line"], False)


def _loops(node, line, is_in_loop):
    for child in ast.iter_child_nodes(node):
        first = getattr(child, "lineno", None)
        if first is not None and not first <= line <= child.end_lineno:
            continue
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            inside = False
        else:
            inside = is_in_loop or isinstance(child, LOOPS)
        if first is None or not isinstance(child, ast.stmt) or _has_statements(child):
            if _loops(child, line, inside):
                return True
        elif inside or any(isinstance(it, LOOPS) for it in ast.walk(child)):
            return True
    return False


def _has_statements(node):
    return bool(getattr(node, "body", None))
