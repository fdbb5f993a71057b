"""Child processes whose environment or options lead past the agent.

A program may start a child with a PYTHONPATH of its own. The agent is put first in it again, in what the child is given: the
program's own variables stay as they are. An environment without the variables of the run is left as it is. Of a Python that
its environment or its options lead past the agent, a note is left for the report.
"""

import _posixsubprocess
import itertools
import json
import os
import sys

# Where `fork_exec` has the names to try for the executable, and the environment (CPython 3.10 to 3.15).
EXECUTABLES, ENVIRONMENT = 1, 5
# Notes of one process: more of them say nothing new.
NOTES = 4
# Characters kept of a command.
LONGEST = 200
# Options of Python that hide PYTHONPATH, or `sitecustomize`; and those that take the next argument.
HIDING = frozenset("EIS")
WITH_ARGUMENT = frozenset("WX")


def watch(directory):
    """Has every child that `subprocess` or `multiprocessing` starts from now on come by the agent in `directory`."""
    children = Children(directory)
    fork_exec = _posixsubprocess.fork_exec

    def with_agent(*arguments):
        try:
            given = children.watched(arguments)
        except Exception:
            given = arguments
        try:
            return fork_exec(*given)
        except BaseException as error:
            error.__traceback__ = None  # What is written in C has no frame in a traceback.
            raise

    _posixsubprocess.fork_exec = with_agent
    # Where it was imported before, it may have the function by another name (CPython 3.11 and later).
    subprocess = sys.modules.get("subprocess")
    if hasattr(subprocess, "_fork_exec"):
        subprocess._fork_exec = with_agent


class Children:
    """What is known of the processes that this one starts."""

    def __init__(self, directory):
        self._agent = os.fsencode(directory)
        self._run = os.path.dirname(directory)
        self._numbers = itertools.count(1)

    def watched(self, arguments):
        """The arguments of `fork_exec`, with an environment that leads to the agent."""
        environment = arguments[ENVIRONMENT]
        variables = _variables(environment)
        run = variables.get(b"CGSAN_RUN_DIRECTORY")
        words = list(map(os.fsencode, arguments[0]))
        options = _python_options(arguments[EXECUTABLES], words)
        if run != os.fsencode(self._run):
            # With a folder of its own, it is watched by another cgsan.
            if run is None and options is not None:
                self._note("environment", words)
            return arguments
        if options is not None and HIDING & options:
            self._note("options", words)
        path = variables.get(b"PYTHONPATH", b"")
        if self._agent in path.split(b":"):
            return arguments
        variables[b"PYTHONPATH"] = self._agent + b":" + path if path else self._agent
        given = [name + b"=" + value for name, value in variables.items()]
        return *arguments[:ENVIRONMENT], given, *arguments[ENVIRONMENT + 1 :]

    def _note(self, reason, words):
        number = next(self._numbers)
        if number > NOTES:
            return
        file = os.path.join(self._run, f"unwatched-{os.getpid()}-{number}.json")
        with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as note:
            json.dump({"reason": reason, "command": _shortened(words)}, note)


def _variables(environment):
    """The environment that the child gets: that of this process if it is given none."""
    if environment is None:
        return dict(os.environb)
    pairs = (it.partition(b"=") for it in environment)
    return {name: value for name, _, value in pairs}


def _python_options(executables, words):
    """The letters among the options of a Python; None if the executable is none by its name."""
    name = os.path.basename(os.fsencode(executables[0]))
    if not name.startswith(b"python") or name[6:].strip(b"0123456789.t"):
        return None
    letters = set()
    words = iter(words[1:])
    for word in words:
        option = word.decode("ascii", "replace")
        if not option.startswith("-") or option.startswith("--"):
            break
        for place, letter in enumerate(option[1:], 2):
            letters.add(letter)
            if letter in WITH_ARGUMENT and place == len(option):
                next(words, None)
            if letter in WITH_ARGUMENT or letter in "cm":
                break
        if letters & set("cm"):
            break
    return letters


def _shortened(words):
    """The command up to the script or module: what comes after it, or after `-c`, is the program's."""
    shown = [os.path.basename(words[0])]
    for before, word in itertools.pairwise(words):
        if before[:1] == b"-" and before[-1:] == b"c":
            shown.append(b"...")
            break
        shown.append(word)
        if word[:1] != b"-" and before[-1:] not in (b"W", b"X"):
            break
    return b" ".join(shown).decode("utf-8", "backslashreplace")[:LONGEST]
