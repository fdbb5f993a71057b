"""What computes one operator's values, now or whenever its nodes run."""

import torch
from torch.utils._pytree import tree_flatten, tree_leaves, tree_map, tree_unflatten

from .. import unrecorded
from .distributions import draw_of
from .memory import is_on_gpu, on_cpu
from .substitutes import SUBSTITUTES

# Sums of products: a GPU adds those of half precision up in float32, and rounds once; so does this, which is much faster on a CPU too.
SUMS = {
    f"aten::{name}"
    for name in [
        "mm",
        "bmm",
        "addmm",
        "baddbmm",
        "addbmm",
        "mv",
        "addmv",
        "dot",
        "vdot",
        "linear",
        "_addmm_activation",
        "convolution",
        "convolution_backward",
        "cudnn_convolution",
        "cudnn_convolution_transpose",
    ]
}
# Copies that may change the type on the way.
COPIES = "aten::copy_", "aten::_to_copy"
HALVES = torch.float16, torch.bfloat16


class Computation:
    """An operator with views of the memory of its arguments and results, which it does not keep alive."""

    def __init__(self, function, arguments, keywords, results, source, fails):
        self.once = False
        self._function = function
        # The identities of arguments that are tensors of the host.
        self._of_host = set()
        self._arguments, self._keywords = tree_map(self._taken, (arguments, keywords))
        if "pin_memory" in self._keywords:
            self._keywords["pin_memory"] = None
        self._places = _places(function, results)
        self._written = _written(function, self._arguments, self._keywords)
        self._source = source
        self._draw = source and draw_of(function, self._places, self._arguments, self._keywords)
        self._fails = fails

    def keep_what_the_host_gave(self):
        """It is computed later: of tensors of the host, a GPU is given what they hold when the operator is called. But what a copy
        finds in pinned memory it reads when it is its turn."""
        written = {id(it) for it in self._written}
        copies = self._function._schema.name in COPIES

        def kept(value):
            is_given = isinstance(value, torch.Tensor) and id(value) in self._of_host
            if not is_given or id(value) in written or (copies and value.is_pinned()):
                return value
            return value.clone()

        if self._of_host:
            self._arguments, self._keywords = tree_map(kept, (self._arguments, self._keywords))

    def belongs_to(self, capture, recorder):
        """The operator was captured: it is computed at each replay."""
        if self._source is not None:
            self._source.belongs_to(capture, self._draw, recorder)

    def given(self):
        """The tensors that it reads, or writes where it finds them."""
        return _tensors((self._arguments, self._keywords))

    def written(self):
        """The tensors that it writes."""
        return _tensors((self._places, self._written))

    def run(self, results=None):
        """Computes into the memory of the results. Returns `results`, with other memory where values decide on the shape."""
        # What the recorder sees is what the program does.
        torch._C._autograd._enable_record_function(False)
        try:
            values = self._values()
            if results is not None:
                results = self._with_shapes(results, values)
            self._write(values)
        except Exception as error:
            self._poison()
            self._fails(error)
        finally:
            torch._C._autograd._enable_record_function(not unrecorded.running)
        return results

    def _taken(self, value):
        taken = _given(value)
        if taken is value and isinstance(value, torch.Tensor):
            self._of_host.add(id(value))
        return taken

    def _values(self):
        name = self._function._schema.name
        substitute = SUBSTITUTES.get(name)
        arguments = self._arguments
        if name in SUMS and not self._written:
            arguments = tree_map(_widened, arguments)

        def compute():
            if substitute is not None:
                return substitute(self._places, *arguments, **self._keywords)
            return self._function(*arguments, **self._keywords)

        with torch.no_grad():
            return compute() if self._source is None else self._source.compute(self._draw, compute)

    def _with_shapes(self, results, values):
        """The results in the shapes of their values: on the virtual GPU, sizes that a kernel counts come out as none."""
        leaves, spec = tree_flatten(results)
        found = tree_leaves(values)
        changed = False
        for at, (place, value) in enumerate(zip(self._places, found, strict=False)):
            if (
                isinstance(place, torch.Tensor)
                and isinstance(value, torch.Tensor)
                and place.shape != value.shape
            ):
                leaves[at] = torch.empty_strided(
                    value.shape, value.stride(), dtype=value.dtype, device=leaves[at].device
                )
                self._places[at] = _given(leaves[at])
                changed = True
        return tree_unflatten(leaves, spec) if changed else results

    def _write(self, values):
        for place, value in zip(self._places, tree_leaves(values), strict=False):
            if isinstance(place, torch.Tensor) and isinstance(value, torch.Tensor):
                place.copy_(value)

    def _poison(self):
        """Makes results recognisable that nothing has computed: not a number, or the least number there is."""
        for place in (*self._places, *self._written):
            if isinstance(place, torch.Tensor):
                if place.is_floating_point() or place.is_complex():
                    place.fill_(float("nan"))
                elif place.dtype != torch.bool:
                    place.fill_(torch.iinfo(place.dtype).min)


def _tensors(tree):
    return [it for it in tree_leaves(tree) if isinstance(it, torch.Tensor)]


def _given(value):
    """An argument as the CPU's operator takes it."""
    if is_on_gpu(value):
        return on_cpu(value)
    if isinstance(value, torch.device) and value.type == "cuda":
        return torch.device("cpu")
    if isinstance(value, torch.Generator):
        return None
    return value


def _widened(value):
    return value.float() if isinstance(value, torch.Tensor) and value.dtype in HALVES else value


def _written(function, arguments, keywords):
    """What an operator writes among its arguments."""
    given = (
        dict(zip((it.name for it in function._schema.arguments), arguments, strict=False))
        | keywords
    )
    about = {it.name: it.alias_info for it in function._schema.arguments}
    written = [it for name, it in given.items() if about[name] is not None and about[name].is_write]
    return tree_leaves(written)


def _places(function, results):
    """For each result, where its value goes: none for one that is also an argument, which the operator writes itself."""
    returns = function._schema.returns
    parts = results if len(returns) > 1 else (results,)
    places = []
    for part, about in zip(parts, returns, strict=False):
        for leaf in tree_leaves(part):
            is_fresh = about.alias_info is None and isinstance(leaf, torch.Tensor)
            if is_fresh and leaf.layout is not torch.strided:
                raise NotImplementedError("its result is sparse")
            places.append(_given(leaf) if is_fresh else None)
    return places
