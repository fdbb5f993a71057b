"""Modes of PyTorch that decide what operators do: of a thread, of the process, and of modules."""

import contextlib

import torch
import torch.utils._device

AUTOCAST = 'torch.autocast("cuda")'
GRADIENTS = "torch.is_grad_enabled()"
INFERENCE = "torch.is_inference_mode_enabled()"
PRODUCTS = "torch.backends.cuda.matmul.allow_tf32"
DETERMINISTIC = "torch.are_deterministic_algorithms_enabled()"
# Modes that PyTorch itself asks for to take another way to the same result: they count where the program's own code asks.
ASKED_FOR = (GRADIENTS, INFERENCE)
# What chooses among operators that compute the same, and the dtype and device of tensors that say neither: a region is run with those
# of its capture, and a switch is none that a program must mean. Each with what asks for it and what sets it, as plain values.
_CHOICES = {
    "default dtype": (
        lambda: str(torch.get_default_dtype()),
        lambda value: torch.set_default_dtype(getattr(torch, value.removeprefix("torch."))),
    ),
    # PyTorch's own function makes a tensor, to say which of several devices it is.
    "default device": (
        lambda: str(torch.utils._device.CURRENT_DEVICE or "cpu"),
        torch.set_default_device,
    ),
    "cuDNN": (torch._C._get_cudnn_enabled, torch._C._set_cudnn_enabled),
    **{
        it: (
            getattr(torch.backends.cuda, f"{it}_enabled"),
            getattr(torch.backends.cuda, f"enable_{it}"),
        )
        for it in ("flash_sdp", "math_sdp", "mem_efficient_sdp", "cudnn_sdp")
        if hasattr(torch.backends.cuda, f"enable_{it}")
    },
}
# How what `torch.backends.cuda.matmul.fp32_precision` and its kin say is told.
TF32 = "tf32"


def current():
    """The modes of this moment, by what the program calls them."""
    found = {
        AUTOCAST: _autocast(),
        GRADIENTS: torch.is_grad_enabled(),
        INFERENCE: torch.is_inference_mode_enabled(),
        DETERMINISTIC: torch.are_deterministic_algorithms_enabled(),
    }
    with contextlib.suppress(Exception):
        found[PRODUCTS] = products_use_tf32()
    for name, (ask, _) in _CHOICES.items():
        with contextlib.suppress(Exception):
            found[name] = ask()
    return found


def switched(then, now):
    """Which of the modes of a capture the program has switched since. To have left the block that it was captured in is no
    switch: then nothing says how replays are meant."""
    shared = then.keys() & now.keys() - _CHOICES.keys()
    different = {name for name in shared if then[name] != now[name]}
    if now[AUTOCAST] is None and not is_in_autocast():
        different.discard(AUTOCAST)
    if now[GRADIENTS]:
        different.discard(GRADIENTS)
    if not now[INFERENCE]:
        different.discard(INFERENCE)
    return sorted(different)


@contextlib.contextmanager
def entered(modes):
    """Has them as they are in `modes`."""
    with contextlib.ExitStack() as stack:
        if modes[INFERENCE] != torch.is_inference_mode_enabled():
            stack.enter_context(torch.inference_mode(modes[INFERENCE]))
        stack.enter_context(torch.set_grad_enabled(modes[GRADIENTS]))
        dtype = modes[AUTOCAST]
        if dtype != _autocast():
            stack.enter_context(_autocast_to(dtype))
        if modes[DETERMINISTIC] != torch.are_deterministic_algorithms_enabled():
            torch.use_deterministic_algorithms(modes[DETERMINISTIC])
        if PRODUCTS in modes and modes[PRODUCTS] != products_use_tf32():
            torch.backends.cuda.matmul.allow_tf32 = modes[PRODUCTS]
        for name, (ask, choose) in _CHOICES.items():
            if name in modes and modes[name] != ask():
                choose(modes[name])
        yield


def products_use_tf32():
    """Whether products of matrices of float32 may be computed in TF32. The older way to ask warns since PyTorch 2.9."""
    getter = getattr(torch._C, "_get_fp32_precision_getter", None)
    if getter is not None:
        return getter("cuda", "matmul") == TF32
    return torch.backends.cuda.matmul.allow_tf32


def in_words(value):
    """A mode as it is told."""
    return "off" if value is None else str(value)


def _autocast():
    """The type that autocast casts to, as text; None where it is off."""
    if not torch.is_autocast_enabled("cuda"):
        return None
    return str(torch.get_autocast_dtype("cuda"))


def is_in_autocast():
    """Whether the program is in a block of autocast, that may have turned it off."""
    depth = torch.autocast_increment_nesting()
    torch.autocast_decrement_nesting()
    return depth > 1


def _autocast_to(dtype):
    if dtype is None:
        return torch.autocast("cuda", enabled=False)
    kind = getattr(torch, dtype.removeprefix("torch."))
    return torch.autocast("cuda", kind, True, torch.is_autocast_cache_enabled())
