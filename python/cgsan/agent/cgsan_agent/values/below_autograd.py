"""Gradients of what the CPU computes, where an operator is computed: below autograd, which is switched on for it."""

import torch

AUTOGRAD = torch._C.DispatchKey.AutogradFunctionality


def gradients(function, arguments, of_results):
    """The gradients of a function's tensor arguments, from those of its results; a missing one is none of a result's.

    In the argument's type. `function` returns as many results as there are gradients, and none where it has no such result.
    """
    with torch._C._SetExcludeDispatchKeyGuard(AUTOGRAD, False), torch.enable_grad():
        given = [it.detach().requires_grad_() for it in arguments]
        results = function(*given)
        pairs = [
            (result, gradient)
            for result, gradient in zip(results, of_results, strict=True)
            if result is not None and gradient is not None
        ]
        found = torch.autograd.grad(
            [result for result, _ in pairs],
            given,
            [gradient for _, gradient in pairs],
            allow_unused=True,
        )
    return [
        torch.zeros_like(it) if gradient is None else gradient
        for it, gradient in zip(arguments, found, strict=True)
    ]
