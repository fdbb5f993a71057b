"""PyTorch's distributions on CUDA: which thread's number goes to which element, and what becomes of it there.

The rules are those of PyTorch 2.11's headers `ATen/native/cuda/DistributionTemplates.h` and `ATen/core/TransformationHelper.h`,
and of its kernels for dropout and randperm. An operator is described by a `Draw`, or by none where this does not know it.
"""

import math

import torch

from . import attention, philox, rejection
from .draws import NOTHING, Draw
from .precision import precision_of

BLOCK = 256
# From this range on, integers are made of 64 bits, so that the remainder favours none noticeably.
WIDE_RANGE = 1 << 28
# Threads of a block that draw again from weights.
SAMPLES = 128


def are_known(function):
    """Whether it is known what an operator draws."""
    return _distribution(function._schema) is not None


def _distribution(schema):
    overload = schema.overload_name.removesuffix("out").rstrip("_")
    overload = overload.removesuffix("generator").rstrip("_")
    return DISTRIBUTIONS.get(f"{schema.name}.{overload}" if overload else schema.name)


def draw_of(function, places, arguments, keywords):
    """What an operator draws, whose results have these places; none if it is not known."""
    schema = function._schema
    distribution = _distribution(schema)
    given = {it.name: it.default_value for it in schema.arguments if it.has_default_value()}
    names = (it.name for it in schema.arguments)
    given.update(zip(names, arguments, strict=False))
    given.update(keywords)
    target = next((it for it in places if it is not None), given.get("out", given.get("self")))
    if distribution is None or not isinstance(target, torch.Tensor):
        return None
    if target.numel() == 0:
        return Draw(0, lambda seed, offset: None)
    return distribution(target, given, places)


def _grid_stride(target, lanes, transform):
    """One kernel in which each thread draws four numbers at a time, for elements that lie a whole grid apart."""
    count = target.numel()
    threads = _threads(count)
    times = (count - 1) // (threads * lanes) + 1

    def compute(seed, offset):
        numbers = transform(philox.draws(seed, offset, range(min(threads, count)), times))
        _fill(target, numbers.transpose(1, 2).reshape(-1)[:count])

    return Draw(times * 4, compute)


def _threads(count):
    """How many threads PyTorch starts for so many elements: at most as many as run at once."""
    device = torch.cuda.get_device_properties(torch.cuda.current_device())
    at_once = device.multi_processor_count * (device.max_threads_per_multi_processor // BLOCK)
    return min(-(-count // BLOCK), at_once) * BLOCK


def _fill(target, numbers):
    """Gives elements their numbers in the order of memory, as PyTorch's iterators go through a tensor."""
    target.copy_(_arranged(target, numbers))


def _arranged(target, numbers):
    order = sorted(range(target.dim()), key=lambda axis: -target.stride(axis))
    places = [order.index(axis) for axis in range(target.dim())]
    return numbers.reshape([target.size(axis) for axis in order]).permute(places)


def _real(target, floats, doubles, transform):
    """Of floats, or of doubles where the elements are: `transform` makes elements of them."""
    if target.dtype == torch.float64:
        return _grid_stride(target, 2, lambda words: transform(doubles(words)))
    return _grid_stride(target, 4, lambda words: transform(floats(words)))


def _from_uniform(target, transform):
    return _real(target, philox.uniform, philox.uniform_double, transform)


def _from_normal(target, transform):
    return _real(target, philox.normal, philox.normal_double, transform)


def _uniform(target, low, high):
    low, high = (torch.tensor(it, dtype=target.dtype) for it in (low, high))
    span = (high - low).double()

    def transform(numbers):
        # On a GPU, the sum of the product is rounded once.
        elements = (numbers.double() * span + low.double()).to(numbers.dtype).to(target.dtype)
        # The numbers exclude zero and include one; the elements are to do the opposite.
        return torch.where(elements == high, low, elements)

    return _from_uniform(target, transform)


def _normal(target, mean, deviation):
    def transform(numbers):
        return (numbers.double() * deviation + mean).to(numbers.dtype)

    return _from_normal(target, transform)


def _normal_of_tensors(target, mean, deviation):
    """Standard normal numbers, or those of a deviation that is a number, scaled and moved element by element."""
    is_scaled = isinstance(deviation, torch.Tensor)
    standard = _normal(target, 0, 1 if is_scaled else deviation)

    def compute(seed, offset):
        standard.compute(seed, offset)
        (target.mul_(deviation) if is_scaled else target).add_(mean)

    return Draw(standard.increment, compute)


def _log_normal(target, mean, deviation):
    return _from_normal(target, lambda numbers: torch.exp(numbers * deviation + mean))


def _exponential(target, rate):
    def transform(numbers):
        half_step = torch.finfo(numbers.dtype).eps / 2
        # Zero is no exponential number, so one, whose logarithm it is, counts as a little less.
        logarithm = torch.where(numbers >= 1 - half_step, -half_step, numbers.log())
        return -1 / rate * logarithm

    return _from_uniform(target, transform)


def _geometric(target, probability):
    return _from_uniform(
        target,
        lambda numbers: torch.ceil(
            numbers.log() / torch.log1p(torch.tensor(-probability, dtype=numbers.dtype))
        ),
    )


def _cauchy(target, median, sigma):
    def transform(numbers):
        if numbers.dtype == torch.float32:
            # The tangent of a GPU's floats has no value at the ends.
            step = torch.finfo(numbers.dtype).eps
            numbers = numbers.clamp(step, 1 - step)
        return median + sigma * torch.tan(torch.pi * (numbers - 0.5))

    return _from_uniform(target, transform)


def _bernoulli(target, probability):
    def transform(numbers):
        return numbers < torch.tensor(probability, dtype=numbers.dtype)

    return _from_uniform(target, transform)


def _bernoulli_each(target, probabilities):
    """One kernel in which each thread draws four numbers, for four elements that follow each other."""
    wide = precision_of(target.dtype)

    def compute(seed, offset):
        if not ((probabilities >= 0) & (probabilities <= 1)).all():
            raise RuntimeError("a probability is not between 0 and 1")
        count = target.numel()
        words = philox.draws(seed, offset, range(-(-count // 4)), 1)
        numbers = _arranged(target, philox.uniform(words).reshape(-1)[:count])
        target.copy_(numbers <= probabilities.to(wide))

    # PyTorch reserves ten numbers, and offsets are multiples of four.
    return Draw(12, compute)


def _integers(target, low, high):
    span = high - low
    if span >= WIDE_RANGE:
        return _grid_stride(target, 2, lambda words: _remainder(philox.pairs(words), span) + low)
    return _grid_stride(target, 4, lambda words: words % span + low)


def _below(target, high):
    return _integers(target, 0, high)


def _remainder(numbers, divisor):
    """Of signed numbers that stand for unsigned ones of 64 bits."""
    if divisor > torch.iinfo(torch.int64).max:
        lowest = torch.iinfo(torch.int64).min
        wrapped = divisor - (1 << 64)
        is_less = (numbers ^ lowest) < (wrapped ^ lowest)
        return torch.where(is_less, numbers, numbers - wrapped)
    rest = numbers % divisor
    # What a number that looks negative lacks: two to the power of 64.
    lack = (1 << 64) % divisor
    moved = torch.where(rest >= divisor - lack, rest - (divisor - lack), rest + lack)
    return torch.where(numbers < 0, moved, rest)


def _all_integers(target):
    """`random_()`: all that the type holds, or all that a floating-point type holds exactly."""
    if target.dtype == torch.bool:
        return _grid_stride(target, 4, lambda words: words & 1)
    if target.dtype.is_floating_point:
        # Two over the step next to one, to which a number is a half.
        count = round(2 / torch.finfo(target.dtype).eps) + 1
    else:
        count = torch.iinfo(target.dtype).max + 1
    if target.dtype in (torch.float64, torch.int64):
        return _grid_stride(target, 2, lambda words: _remainder(philox.pairs(words), count))
    return _grid_stride(target, 4, lambda words: words % count)


def _dropout(target, given, places):
    source, dropped = given["input"], given["p"]
    if given.get("train") is False:
        return NOTHING
    output, mask = places
    if dropped == 1:
        return Draw(0, lambda seed, offset: _drop_all(output, mask))
    count = source.numel()
    wide = precision_of(source.dtype)
    factor = 1 / torch.tensor(1.0 - dropped, dtype=wide)
    below = philox.words_below(1.0 - dropped)
    # Each thread takes some elements that follow each other, then some that lie a grid further.
    at_once = _elements_at_once(source, output, mask)
    threads = _threads(count)
    used = min(threads, count) if at_once == 1 else threads
    is_dense = torch.ops.aten.is_non_overlapping_and_dense(mask)
    is_alike = is_dense and source.stride() == output.stride() == mask.stride()
    is_single = is_alike and source.dtype == output.dtype == torch.float32
    products = (source, output, factor.item()) if is_single else ()

    def compute(seed, offset):
        marked = mask if is_dense else torch.empty(count, dtype=torch.bool)
        philox.mark(marked, below, (seed, offset), used, at_once, products)
        if not is_dense:
            _fill(mask, marked)
        if is_single:
            return
        if source.dtype == wide:
            torch.mul(source, mask, out=output).mul_(factor)
        else:
            output.copy_(source.to(wide).mul_(mask).mul_(factor))

    # As many as threads that take one element each have.
    return Draw(4 * -(-count // (threads * 4)), compute)


def _drop_all(output, mask):
    output.zero_()
    mask.zero_()


def _elements_at_once(source, output, mask):
    """How many elements a thread of dropout loads together: 16 bytes if they lie so, and if they divide the whole."""
    is_dense = torch.ops.aten.is_non_overlapping_and_dense
    if not all(map(is_dense, (source, output, mask))):
        return 1
    most = 16 // source.element_size()
    while most > 1 and (
        source.data_ptr() % (most * source.element_size()) or source.numel() % most
    ):
        most //= 2
    return most


def _leaky(target, given, _places):
    """`rrelu`: negative elements are scaled, each by a factor of its own, which is kept as the noise."""
    source, noise, low, high = (given[name] for name in ("self", "noise", "lower", "upper"))
    if not given["training"]:
        return NOTHING

    def transform(numbers):
        return (numbers.double() * (high - low) + low).to(target.dtype)

    drawing = _from_uniform(noise, transform)

    def compute(seed, offset):
        drawing.compute(seed, offset)
        noise.masked_fill_(source > 0, 1)
        target.copy_(source * noise)

    return Draw(drawing.increment, compute)


def _permutation(target):
    """`randperm`: random keys, a few bits of which decide the order; elements with equal keys are shuffled again."""
    count = target.numel()
    keys = torch.empty(count, dtype=torch.int32)
    wanted = count - (6 * count * count + 1) / (math.log(0.9) * 12)
    bits = min(64, math.ceil(math.log2(wanted)))
    if bits > 32:
        keys = keys.to(torch.int64)
    least, most = torch.iinfo(keys.dtype).min, torch.iinfo(keys.dtype).max
    drawing = _integers(keys, least, most)
    shuffling = -(-count // 4) * 4

    def compute(seed, offset):
        drawing.compute(seed, offset)
        # All bits are compared as those of an unsigned number, but the highest of a whole key as a sign.
        deciding = keys if bits in (32, 64) else keys & ((1 << bits) - 1)
        order = torch.argsort(deciding, stable=True)
        _shuffle_equals(order, deciding[order], seed, offset + drawing.increment)
        target.copy_(order)

    return Draw(drawing.increment + shuffling, compute)


def _shuffle_equals(order, keys, seed, offset):
    first = 0
    for size in torch.unique_consecutive(keys, return_counts=True)[1].tolist():
        if size > 1:
            thread = range(first, first + 1)
            words = philox.draws(seed, offset, thread, -(-size // 4)).reshape(-1).tolist()
            for last, word in zip(range(size - 1, 0, -1), words, strict=False):
                other = first + word % (last + 1)
                last += first
                order[last], order[other] = order[other].item(), order[last].item()
        first += size


def _multinomial(target, given, _places):
    """Drawing again from weights: a thread for each sample looks up a number among the sums of the weights."""
    weights, count = given["self"], given["num_samples"]
    if not given["replacement"] or count == 1:
        # It calls operators that are computed.
        return None
    rows = weights.reshape(-1, weights.shape[-1])

    def compute(seed, offset):
        normal = rows / rows.sum(1, keepdim=True)
        in_row = -(-count // SAMPLES) * SAMPLES
        words = philox.draws(seed, offset, range(len(rows) * in_row), 1)[0, :, 0]
        numbers = philox.uniform(words.reshape(-1, in_row)[:, :count]).to(rows.dtype)
        places = torch.searchsorted(normal.cumsum(1), numbers).clamp_(max=rows.shape[1] - 1)
        # One without weight is not drawn, but the nearest before it.
        order = torch.arange(rows.shape[1]).where(normal > 0, 0).cummax(1).values
        target.copy_(order.gather(1, places).reshape(target.shape))

    return Draw(4, compute)


def _by(distribution, *names):
    """A distribution whose parameters are the operator's arguments of these names."""
    return lambda target, given, _places: distribution(target, *(given[name] for name in names))


def _standard(distribution):
    return lambda target, _given, _places: distribution(target, 0, 1)


def _from_on(target, given, _places):
    """`random_(from, to)`, where no end means all that the type holds."""
    low, high = given["from"], given["to"]
    if target.dtype.is_floating_point and high is None:
        return None
    return _integers(target, low, torch.iinfo(target.dtype).max + 1 if high is None else high)


# By the operator and, behind a dot, its overload, less the word for one with a generator.
DISTRIBUTIONS = {
    "aten::uniform_": _by(_uniform, "from", "to"),
    "aten::rand": _standard(_uniform),
    "aten::rand_like": _standard(_uniform),
    "aten::normal_": _by(_normal, "mean", "std"),
    "aten::randn": _standard(_normal),
    "aten::randn_like": _standard(_normal),
    "aten::normal.float_float": _by(_normal, "mean", "std"),
    "aten::normal.Tensor_float": _by(_normal_of_tensors, "mean", "std"),
    "aten::normal.float_Tensor": _by(_normal_of_tensors, "mean", "std"),
    "aten::normal.Tensor_Tensor": _by(_normal_of_tensors, "mean", "std"),
    "aten::log_normal_": _by(_log_normal, "mean", "std"),
    "aten::exponential_": _by(_exponential, "lambd"),
    "aten::geometric_": _by(_geometric, "p"),
    "aten::cauchy_": _by(_cauchy, "median", "sigma"),
    "aten::bernoulli": _by(_bernoulli_each, "self"),
    "aten::bernoulli.p": _by(_bernoulli, "p"),
    "aten::bernoulli_.float": _by(_bernoulli, "p"),
    "aten::bernoulli_.Tensor": _by(_bernoulli_each, "p"),
    "aten::randint": _by(_below, "high"),
    "aten::randint.low": _by(_integers, "low", "high"),
    "aten::randint_like": _by(_below, "high"),
    "aten::randint_like.low_dtype": _by(_integers, "low", "high"),
    "aten::random_": _by(_all_integers),
    "aten::random_.from": _from_on,
    "aten::random_.to": _by(_below, "to"),
    "aten::native_dropout": _dropout,
    "aten::rrelu_with_noise": _leaky,
    "aten::rrelu_with_noise_": _leaky,
    "aten::randperm": _by(_permutation),
    **attention.DRAWS,
    "aten::multinomial": _multinomial,
    **rejection.DRAWS,
}
