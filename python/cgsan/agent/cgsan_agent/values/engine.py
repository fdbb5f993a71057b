"""What PyTorch reports to the virtual GPU: operators that begin and end, the innermost of which that launched kernels are computed."""

import contextlib
import functools
import sys
import threading

import torch

from .. import exceptions
from ..kernels import launches
from . import assertions, not_computed, random_numbers
from .beneath import BeneathAutograd
from .computation import Computation, only_on_gpu
from .given import Reader, place
from .later import MOVED, NOTHING, NOW
from .memory import unwrapped
from .operator import known


class Engine:
    """Computes operators in the order of their streams."""

    def __init__(self, recorder, report=None):
        self._recorder = recorder
        # Where the results of this run are compared with those of another.
        self._report = report
        # What could not be computed in the operators that a thread is in.
        self._failed = threading.local()
        # Operators that were computed later, in whichever thread: the first of each brings its stack.
        self._seen = set()

    def known(self, name, overload):
        """The operator of a name, whether it draws random numbers, whether values decide on the shapes of its results, and whether what
        computes it may be given other numbers; none if there is no such operator."""
        namespace, _, name = name.partition("::")
        if namespace == "c10d":
            return None
        try:
            packet = getattr(getattr(torch.ops, namespace), name)
            operator = known(getattr(packet, overload or "default"))
        except AttributeError:
            return None
        return (
            operator,
            operator.draws,
            operator.has_shapes_of_values,
            operator.takes_other_numbers,
        )

    def begins(self, operator, given):
        """What an operator draws random numbers from; none if it draws nothing this time. Of what it is given, tensors are left out."""
        given, _ = operator.own(given, ())
        if not operator.draws_from(given):
            return None
        generator = operator.generator(given)
        device = torch.cuda.current_device()
        if generator is None or generator.device.type != "cuda":
            generator = torch.cuda.default_generators[device]
        if not self._recorder.in_capture(torch._C._cuda_getCurrentRawStream(device)):
            return random_numbers.Source(generator, False)
        with BeneathAutograd():
            return random_numbers.Source(generator, True)

    def prepares(self, operator, given, results, when, source, is_outermost):
        """Prepares an operator that has ended. Returns what computes it when it is called, none if nothing does; whether it counts as
        computed, which of one that is computed now its computation says; whether the same computes the next call on the same
        values; and what is called with the capture that it belongs to. It is called beneath autograd."""
        given, results = operator.own(given, results)
        with BeneathAutograd():
            return self._prepares(operator, given, results, when, source, is_outermost)

    def _prepares(self, operator, given, results, when, source, is_outermost):
        moves = when >= MOVED
        when %= MOVED
        if self._report is not None and when == NOTHING:
            # The parts of a sparse tensor may no longer fit each other: its own were moved to another one.
            with contextlib.suppress(RuntimeError):
                called = operator.call(Reader().values(given))
                self._report.on_host(operator.function, called, Reader().values(results))
        if when == NOTHING or (moves and self._report is None) or launches.are_measured():
            return None, True, False, None
        if operator.has_results and not results:
            # It raised an exception.
            return None, True, False, None
        stack = None
        if when != NOW and operator not in self._seen:
            self._seen.add(operator)
            stack = exceptions.stack(sys._getframe())
        fails = functools.partial(self._fails, operator, is_outermost)
        try:
            computation = Computation(operator, given, results, source, fails)
            is_same_again = operator.is_computable and computation.can_draw_again()
            if when != NOW:
                is_told = operator.is_computable or is_outermost
                computation.fails = functools.partial(self._fails_later, operator, stack, is_told)
                computation.keeps_nothing()
                if not moves:
                    computation.keep_what_the_host_gave()
                    is_same_again &= not computation.of_host
            if self._report is not None:
                computation = self._report.reported(
                    operator.function,
                    operator.call(Reader().values(given)),
                    computation,
                    Reader().values(results),
                    torch.cuda.current_stream().cuda_stream,
                    moves,
                )
        except Exception as error:
            is_done = fails(error)
            # When it is its turn: what it calls may yet write there.
            poisons = None if is_done or not is_outermost else functools.partial(_poison, results)
            return poisons, is_done, False, None
        if when == NOW:
            run = computation.run
            if getattr(self._failed, "first", None) is not None:
                run = functools.partial(self._runs_instead, run)
            return run, True, is_same_again, None
        is_done = operator.is_computable or moves or fails(only_on_gpu())
        if is_done:
            self._failed.first = None
        belongs_to = functools.partial(computation.belongs_to, recorder=self._recorder)
        return computation.run, is_done, is_same_again, belongs_to

    def _runs_instead(self, run, objects=None, source=None, numbers=None):
        """Computes an operator as a whole, of which a part failed."""
        is_done = run(objects, source, numbers)
        if is_done:
            self._failed.first = None
        return is_done

    def _fails(self, operator, is_outermost, error):
        """An operator is not computed, and those that call it are asked next: if there is none, the first is told of. Whether the
        operator did on a GPU what it did here."""
        function = operator.function
        if assertions.holds(function, error):
            assertions.fail(self._recorder, str(function), error, None)
            return True
        first = getattr(self._failed, "first", None) or (function, error, None)
        self._failed.first = None if is_outermost else first
        if is_outermost:
            self._tell(*first)
        return False

    def _fails_later(self, operator, stack, is_told, error):
        """The same where those that called it are over."""
        function = operator.function
        if assertions.holds(function, error):
            assertions.fail(self._recorder, str(function), error, stack)
        elif is_told:
            self._tell(function, error, stack)
        return False

    def _tell(self, function, error, stack):
        not_computed.tell(self._recorder, function, str(function), error, stack)


def _poison(results, objects=None, source=None, numbers=None):
    """Makes results recognisable that nothing computes."""
    for result in results:
        if isinstance(result, list):
            _poison(result)
        # What cannot be looked at is left as it is.
        with contextlib.suppress(Exception):
            not_computed.poison(place(unwrapped(result)))
    return False
