"""Functions of libdevice, which Triton's interpreter lacks: computed by NumPy and PyTorch, as their documentation says.

A function is found by the symbol of its type, as the compiler finds it. Those without a plain equivalent are missing here: what rounds
in a direction, the reciprocal of half a double, and Bessel's functions of any order.
"""

import contextlib
import functools
import importlib
import math

import numpy as np
import torch

STUBS = "triton.language.extra.libdevice"
OF_CUDA = "triton.language.extra.cuda.libdevice"


@contextlib.contextmanager
def callable_in_modules(interpreter):
    """Lets an interpreted kernel call functions of the modules that have them."""
    _originals()
    functions = _functions(interpreter)
    scope = interpreter._LangPatchScope()
    try:
        for module in map(importlib.import_module, (STUBS, OF_CUDA)):
            for name, function in functions.items():
                scope.set_attr(module, name, function)
        yield
    finally:
        scope.restore()


@contextlib.contextmanager
def callable_by_name(interpreter, function):
    """Lets a function call those that its module has imported by name."""
    known = _originals()
    found = {
        name: known[id(function.__globals__[name])]
        for name in function.__code__.co_names
        if id(function.__globals__.get(name)) in known
    }
    before = {name: function.__globals__[name] for name in found}
    function.__globals__.update(
        {name: _functions(interpreter)[original] for name, original in found.items()}
    )
    try:
        yield
    finally:
        function.__globals__.update(before)


@functools.cache
def _functions(interpreter):
    """By name, those of CUDA, for the interpreter."""
    semantic = interpreter.TritonSemantic(interpreter.interpreter_builder)
    interpreter.InterpreterBuilder.create_extern_elementwise = functools.partialmethod(
        _compute, interpreter
    )
    module = importlib.import_module(OF_CUDA)
    return {
        name: functools.partial(member, _semantic=semantic)
        for name, member in vars(module).items()
        if interpreter.tl.core.is_builtin(member)
    }


@functools.cache
def _originals():
    """The names of functions that a module may have imported, by their identities; the modules keep them."""
    modules = [vars(importlib.import_module(it)) for it in (STUBS, OF_CUDA)]
    return {
        id(member): name
        for module in modules
        for name, member in module.items()
        if callable(member)
    }


def _compute(builder, interpreter, _library, _path, symbol, arguments, result, _is_pure):
    """What a function gives for the elements of its arguments."""
    kind = result.scalar
    dtype = interpreter._get_np_dtype(kind)
    values = [it.data for it in arguments]
    found = _function_of(symbol)(*values)
    if not np.issubdtype(dtype, np.floating) and np.issubdtype(found.dtype, np.floating):
        found = _saturated(found, dtype)
    return interpreter.TensorHandle(found.astype(dtype), kind)


def _function_of(symbol):
    name = symbol.removeprefix("__nv_")
    for candidate in (name, name.removesuffix("f"), name.replace("f_", "_")):
        if candidate in EXACT:
            return EXACT[candidate]
        if candidate in REAL:
            return functools.partial(_in_double, REAL[candidate])
    raise NotImplementedError(f"libdevice's {symbol} has no equivalent here")


def _in_double(function, *values):
    """Computed in double precision, to be rounded once."""
    return function(*(it.astype(np.float64) for it in values))


def _saturated(values, dtype):
    """Of a type of integers the nearest, and zero for what is no number."""
    # The greatest integers of 64 bits are no doubles.
    limits = np.iinfo(dtype)
    inside = np.clip(np.nan_to_num(values), float(limits.min), np.nextafter(limits.max + 1.0, 0))
    return np.where(values >= limits.max, limits.max, inside.astype(dtype))


def _of_torch(function):
    return lambda *values: function(*(torch.from_numpy(np.array(it)) for it in values)).numpy()


def _gamma(x):
    with np.errstate(all="ignore"):
        size = np.exp(_of_torch(torch.lgamma)(x))
        sign = np.where((x < 0) & (np.floor(x) % 2 != 0), -1.0, 1.0)
        return np.where((x < 0) & (np.floor(x) == x), np.nan, sign * size)


def _in_units_of_pi(function):
    # A turn is taken off first, so that large arguments lose nothing.
    return lambda x: function(np.pi * np.fmod(x, 2.0))


def _round_half_away(x):
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


def _whole_power(x, n):
    return np.power(x.astype(np.float64), n)


def _scaled(x, n):
    return np.ldexp(x.astype(np.float64), np.clip(n, -5000, 5000))


def _exponent(x):
    """That of a number's leading bit."""
    found = np.frexp(np.where((x == 0) | ~np.isfinite(x), 1.0, x))[1] - 1.0
    return np.where(x == 0, -np.inf, np.where(np.isfinite(x), found, np.abs(x)))


def _whole_exponent(x):
    lowest = np.iinfo(np.int32).min
    found = _exponent(x.astype(np.float64))
    whole = np.nan_to_num(found, nan=lowest, posinf=np.iinfo(np.int32).max, neginf=lowest)
    return whole.astype(np.int64)


def _norm(*values):
    return np.sqrt(sum(np.square(it) for it in values))


def _distance(x, y):
    return np.where(x > y, x - y, np.where(np.isnan(x) | np.isnan(y), np.nan, 0.0))


def _bits(x):
    """Of unsigned integers, as PyTorch and NumPy have no functions for them: the bits, from the lowest, along a last axis."""
    width = x.dtype.itemsize * 8
    unsigned = x.view(f"u{x.dtype.itemsize}")
    return unsigned[..., None] >> np.arange(width, dtype=unsigned.dtype) & 1


def _leading_zeros(x):
    return np.cumprod(1 - _bits(x)[..., ::-1].astype(np.int64), -1).sum(-1)


def _first_bit(x):
    bits = _bits(x)
    return np.where(bits.any(-1), bits.argmax(-1) + 1, 0)


def _reversed_bits(x):
    bits = _bits(x)
    places = np.arange(bits.shape[-1], dtype=bits.dtype)
    return (bits[..., ::-1] << places).sum(-1, dtype=bits.dtype).view(x.dtype)


def _upper_product(x, y):
    """The upper half of a product of twice the bits."""
    width = x.dtype.itemsize * 8
    wide = np.vectorize(lambda a, b: (int(a) * int(b)) >> width, otypes=[x.dtype])
    return wide(x, y)


def _low_product(x, y):
    """Of the lower 24 bits of each."""
    shift = 8 if np.issubdtype(x.dtype, np.signedinteger) else 0
    low = [
        ((it.astype(np.int64) & 0xFFFFFF) << 40 >> 40) if shift else it & 0xFFFFFF for it in (x, y)
    ]
    return np.multiply(*(it.astype(np.int64) for it in low)).astype(x.dtype)


def _permuted_bytes(x, y, selector):
    both = np.concatenate([it[..., None].view(np.uint8) for it in (x, y)], -1)
    chosen = selector[..., None] >> np.arange(0, 16, 4) & 7
    return np.take_along_axis(both, chosen, -1).view(x.dtype)[..., 0]


def _rounded(round, kind):
    """To a type of integers; Triton has unsigned ones as signed."""
    signed = kind.replace("u", "i")
    return lambda x: _saturated(round(x.astype(np.float64)), np.dtype(kind)).view(signed)


def _conversions():
    """By symbol, those between types; from integers to floats, the nearest alone."""
    found = {"double2float_rn": np.asarray}
    ways = {"rn": np.rint, "rz": np.trunc, "rd": np.floor, "ru": np.ceil}
    for whole, kind in {"int": "i4", "uint": "u4", "ll": "i8", "ull": "u8"}.items():
        for real in ("float", "double"):
            found[f"{whole}2{real}_rn"] = functools.partial(np.ndarray.view, dtype=kind)
            for way, round in ways.items():
                found[f"{real}2{whole}_{way}"] = _rounded(round, kind)
    return found


# What computes with its arguments as they are.
EXACT = {
    **_conversions(),
    **dict.fromkeys(("clz", "clzll"), _leading_zeros),
    **dict.fromkeys(("popc", "popcll"), lambda x: _bits(x).astype(np.int64).sum(-1)),
    **dict.fromkeys(("brev", "brevll"), _reversed_bits),
    **dict.fromkeys(("ffs", "ffsll"), _first_bit),
    **dict.fromkeys(("mulhi", "umulhi", "mul64hi", "umul64hi"), _upper_product),
    **dict.fromkeys(("mul24", "umul24"), _low_product),
    **dict.fromkeys(("abs", "llabs"), np.abs),
    **dict.fromkeys(("hadd", "uhadd"), lambda x, y: (x & y) + ((x ^ y) >> 1)),
    **dict.fromkeys(("rhadd", "urhadd"), lambda x, y: (x | y) - ((x ^ y) >> 1)),
    **dict.fromkeys(
        ("sad", "usad"), lambda x, y, z: np.abs(x.astype(np.int64) - y) + z.astype(np.int64)
    ),
    **dict.fromkeys(("int_as_float", "uint_as_float"), lambda x: x.view(np.float32)),
    **dict.fromkeys(("float_as_int", "float_as_uint"), lambda x: x.view(np.int32)),
    **dict.fromkeys(("isnanf", "isnand"), lambda x: np.isnan(x).astype(np.int32)),
    **dict.fromkeys(("isinff", "isinfd"), lambda x: np.isinf(x).astype(np.int32)),
    **dict.fromkeys(("finitef", "isfinited"), lambda x: np.isfinite(x).astype(np.int32)),
    **dict.fromkeys(("signbitf", "signbitd"), lambda x: np.signbit(x).astype(np.int32)),
    "byte_perm": _permuted_bytes,
    "longlong_as_double": lambda x: x.view(np.float64),
    "double_as_longlong": lambda x: x.view(np.int64),
    "double2loint": lambda x: x.view(np.int64).astype(np.int32),
    "double2hiint": lambda x: (x.view(np.int64) >> 32).astype(np.int32),
    "hiloint2double": lambda x, y: (x.astype(np.int64) << 32 | y.view(np.uint32)).view(np.float64),
    "nextafter": np.nextafter,
    "copysign": np.copysign,
    "fmod": np.fmod,
    "remainder": lambda x, y: np.vectorize(_remainder, otypes=[x.dtype])(x, y),
    "ilogb": _whole_exponent,
    "ldexp": _scaled,
    "scalbn": _scaled,
    "powi": _whole_power,
}


def _remainder(x, y):
    try:
        return math.remainder(x, y)
    except ValueError:
        return math.nan


# What computes in double precision. A product of floats is exact there.
REAL = {
    "fabs": np.abs,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "rint": np.rint,
    "nearbyint": np.rint,
    "llrint": np.rint,
    "round": _round_half_away,
    "llround": _round_half_away,
    "saturatef": lambda x: np.clip(np.nan_to_num(x, nan=0.0), 0.0, 1.0),
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "frsqrt_rn": lambda x: 1 / np.sqrt(x),
    "cbrt": np.cbrt,
    "rcbrt": lambda x: 1 / np.cbrt(x),
    **dict.fromkeys(("fsqrt_rn", "dsqrt_rn"), np.sqrt),
    **dict.fromkeys(("frcp_rn", "drcp_rn"), lambda x: 1 / x),
    **dict.fromkeys(("fadd_rn", "dadd_rn"), np.add),
    **dict.fromkeys(("fsub_rn", "dsub_rn"), np.subtract),
    **dict.fromkeys(("fmul_rn", "dmul_rn"), np.multiply),
    **dict.fromkeys(("fdiv_rn", "ddiv_rn", "fast_fdividef"), np.divide),
    **dict.fromkeys(("fma", "fma_rn"), lambda x, y, z: x * y + z),
    **dict.fromkeys(("exp", "fast_expf"), np.exp),
    **dict.fromkeys(("exp10", "fast_exp10f"), lambda x: np.power(10.0, x)),
    "exp2": np.exp2,
    "expm1": np.expm1,
    **dict.fromkeys(("log", "fast_logf"), np.log),
    **dict.fromkeys(("log2", "fast_log2f"), np.log2),
    **dict.fromkeys(("log10", "fast_log10f"), np.log10),
    "log1p": np.log1p,
    "logb": _exponent,
    **dict.fromkeys(("sin", "fast_sinf"), np.sin),
    **dict.fromkeys(("cos", "fast_cosf"), np.cos),
    **dict.fromkeys(("tan", "fast_tanf"), np.tan),
    "sinpi": _in_units_of_pi(np.sin),
    "cospi": _in_units_of_pi(np.cos),
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    **dict.fromkeys(("pow", "fast_powf"), np.power),
    "fdim": _distance,
    "hypot": np.hypot,
    "rhypot": lambda *values: 1 / np.hypot(*values),
    "norm3d": _norm,
    "norm4d": _norm,
    "rnorm3d": lambda *values: 1 / _norm(*values),
    "rnorm4d": lambda *values: 1 / _norm(*values),
    "erf": _of_torch(torch.erf),
    "erfc": _of_torch(torch.erfc),
    "erfinv": _of_torch(torch.erfinv),
    "erfcinv": lambda x: -_of_torch(torch.special.ndtri)(x / 2) / np.sqrt(2.0),
    "erfcx": _of_torch(torch.special.erfcx),
    "normcdf": _of_torch(torch.special.ndtr),
    "normcdfinv": _of_torch(torch.special.ndtri),
    "lgamma": _of_torch(torch.lgamma),
    "tgamma": _gamma,
    "j0": _of_torch(torch.special.bessel_j0),
    "j1": _of_torch(torch.special.bessel_j1),
    "y0": _of_torch(torch.special.bessel_y0),
    "y1": _of_torch(torch.special.bessel_y1),
    "cyl_bessel_i0": _of_torch(torch.special.i0),
    "cyl_bessel_i1": _of_torch(torch.special.i1),
}
