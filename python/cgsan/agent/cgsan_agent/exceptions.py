"""An exception as an event of the trace."""

import os

# The folder of this code.
AGENT = os.path.join(os.path.dirname(__file__), "")
# Frames kept of each end of a traceback: a runaway recursion has thousands that say the same.
ENDS = 100
# Exceptions that are followed back from one.
CHAIN = 8
# Characters kept of a message.
MESSAGE = 16_384

_PLAIN = (str, bytes, int, float, bool, type(None))


def describe(exception, uncaught, printed):
    """The `exception` event; `printed` says that the interpreter has written the exception already."""
    return {
        "event": "exception",
        "type_name": type_name(type(exception)),
        "message": _message(exception, printed)[:MESSAGE],
        "traceback": [location(frame, line) for frame, line in _shortened(frames(exception))],
        "uncaught": uncaught,
    }


def before(exception, known):
    """The exceptions that were being handled when `exception` was raised, latest first, up to the one of the identity `known`."""
    found = []
    while exception is not None and len(found) < CHAIN:
        context = None if exception.__suppress_context__ else exception.__context__
        exception = exception.__cause__ or context
        if exception is None or id(exception) == known:
            break
        found.append(exception)
    return found


def type_name(kind):
    """The name as a traceback prints it."""
    if kind.__module__ in ("builtins", "__main__"):
        return kind.__qualname__
    return f"{kind.__module__}.{kind.__qualname__}"


def frames(exception):
    """Pairs of frame and line, outermost first: the callers that still run, then the traceback."""
    step = exception.__traceback__
    callers = []
    frame = step.tb_frame.f_back if step is not None else None
    while frame is not None:
        callers.append((frame, frame.f_lineno or 0))
        frame = frame.f_back
    found = callers[::-1]
    while step is not None:
        found.append((step.tb_frame, step.tb_lineno or 0))
        step = step.tb_next
    return found


def stack(frame):
    """The lines that a frame and its callers are at, innermost first, without those of the agent."""
    found = []
    while frame is not None and len(found) < 2 * ENDS:
        if not frame.f_code.co_filename.startswith(AGENT):
            found.append(location(frame, frame.f_lineno or 0))
        frame = frame.f_back
    return found


def _message(exception, printed):
    """The text of `exception`.

    Unless it was printed before, only what can be written without calling into the program is: to
    print a tensor would be a call to the GPU, and a capture may be running.
    """
    try:
        if printed:
            return str(exception)
        plain = all(type(argument) in _PLAIN for argument in exception.args)
        return _plain_text(exception) if plain else ""
    except Exception:
        return ""


def _plain_text(exception):
    written_in_python = hasattr(type(exception).__str__, "__code__")
    return BaseException.__str__(exception) if written_in_python else str(exception)


def _shortened(items):
    return items if len(items) <= 2 * ENDS else items[:ENDS] + items[-ENDS:]


def location(frame, line):
    """A line that a frame is at, as it is told."""
    code = frame.f_code
    return {
        "file": code.co_filename,
        "function": getattr(code, "co_qualname", code.co_name),
        "line": line,
    }
