"""What computes one operator's values, now or whenever its nodes run."""

import torch

from .arguments import both_mapped, leaves, mapped, tensors
from .distributions import draw_of
from .given import Number, Reader, place
from .memory import on_cpu
from .not_computed import poison

HALVES = torch.float16, torch.bfloat16


class Computation:
    """An operator with views of the memory of its arguments and results, which it does not keep alive."""

    def __init__(self, operator, given, results, source, fails):
        self._operator = operator
        reader = Reader()
        self._arguments, self._keywords = operator.call(
            reader.values(operator.after(given, results))
        )
        # The identities of arguments that are tensors of the host.
        self.of_host = reader.of_host
        if "pin_memory" in self._keywords:
            self._keywords["pin_memory"] = None
        self._places = operator.places(results, place)
        # Where the values of the last run went.
        self._into = self._places
        self._written = operator.written(self._arguments, self._keywords)
        self._source = source
        self._draw = source and draw_of(
            operator.function, self._places, self._arguments, self._keywords
        )
        # Called with what a computation raised; returns whether it counts as done all the same.
        self.fails = fails

    def keep_what_the_host_gave(self):
        """It is computed later: of tensors of the host, a GPU is given what they hold when the operator is called. But what a copy
        finds in pinned memory it reads when it is its turn."""
        if not self.of_host:
            return
        written = {id(it) for it in self._written}

        def kept(value):
            is_given = isinstance(value, torch.Tensor) and id(value) in self.of_host
            waits = is_given and self._operator.is_copy and value.is_pinned()
            return value if not is_given or waits or id(value) in written else value.clone()

        self._arguments, self._keywords = both_mapped(kept, self._arguments, self._keywords)

    def belongs_to(self, capture, recorder):
        """The operator was captured: it is computed at each replay."""
        if self._source is not None:
            self._source.belongs_to(capture, self._draw, recorder)

    def given(self):
        """The tensors that it reads, or writes where it finds them."""
        return tensors((*self._arguments, *self._keywords.values()))

    def written(self):
        """The tensors that it writes."""
        return tensors((*self._into, *self._written))

    def run(self, objects=None):
        """Computes into the memory of the results; whether that could be done. `objects` are the results themselves, which are given
        other memory where values decide on their shapes."""
        try:
            if not self._operator.is_computable:
                raise only_on_gpu()
            values = leaves((self._values(),))
            if objects is not None:
                self._into = self._with_shapes(leaves(objects), values)
            _write(self._into, values)
        except Exception as error:
            for into in (*self._places, *self._written):
                poison(into)
            return self.fails(error)
        return True

    def _values(self):
        if self._source is not None:
            return self._source.compute(self._draw, self._computed)
        return self._computed()

    def _computed(self):
        operator, arguments = self._operator, self._arguments
        if operator.is_sum:
            arguments = mapped(_widened, arguments)
        if operator.substitute is not None:
            return operator.substitute(self._places, *_tensors(arguments), **self._keywords)
        if not any(isinstance(it, Number) for it in arguments):
            return operator.function(*arguments, **self._keywords)
        return self._with_numbers(arguments)

    def _with_numbers(self, arguments):
        """PyTorch does not say which tensors without dimensions it made of numbers of Python's, which count less for the type of a
        result: those that lead to the type that there is."""
        function = self._operator.function
        try:
            numbers = [it.value if isinstance(it, Number) else it for it in arguments]
            values = function(*numbers, **self._keywords)
            pairs = zip(self._places, leaves((values,)), strict=False)
            if all(it is None or it.dtype == value.dtype for it, value in pairs):
                return values
        except (RuntimeError, TypeError):
            # Not each operator takes numbers.
            pass
        return function(*_tensors(arguments), **self._keywords)

    def _with_shapes(self, objects, values):
        """Gives results the shapes of their values, and says where these go now: on the virtual GPU, sizes that a kernel counts come
        out as none. The places stay as they are for the next call."""
        places = list(self._places)
        for at, (into, value) in enumerate(zip(places, values, strict=False)):
            both = isinstance(into, torch.Tensor) and isinstance(value, torch.Tensor)
            if both and into.shape != value.shape:
                made = torch.empty_strided(
                    value.shape, value.stride(), dtype=value.dtype, device=objects[at].device
                )
                objects[at].set_(made.untyped_storage(), 0, made.shape, made.stride())
                places[at] = on_cpu(made)
        return places


def _write(places, values):
    for into, value in zip(places, values, strict=False):
        if isinstance(into, torch.Tensor) and isinstance(value, torch.Tensor):
            into.copy_(value)


def only_on_gpu():
    """Why an operator is not computed that the CPU does not have."""
    return NotImplementedError("only a GPU has it")


def _tensors(arguments):
    return [it.tensor() if isinstance(it, Number) else it for it in arguments]


def _widened(value):
    return value.float() if isinstance(value, torch.Tensor) and value.dtype in HALVES else value
