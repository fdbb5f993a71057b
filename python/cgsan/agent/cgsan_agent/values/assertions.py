"""Numbers that kernels of a GPU refuse with an assertion: an index out of range, a probability below 0. The call itself succeeds; from the
next one on that waits for the device, each fails with "device-side assert triggered" (710). Recorded on an H100, PyTorch 2.11."""

import sys

from .. import exceptions

# `CUDA_ERROR_ASSERT`.
CODE = 710

# Operators whose kernels assert what the CPU's operators raise an exception for. Some that look alike do not: an index out of range
# is wrapped by `take_along_dim`, and a loss by CTC reads what lies there.
OPERATORS = {
    f"aten::{name}"
    for name in [
        "_assert_async",
        "_embedding_bag",
        "_embedding_bag_forward_only",
        "_index_put_impl_",
        "bernoulli",
        "bernoulli_",
        "binary_cross_entropy",
        "binary_cross_entropy_backward",
        "embedding",
        "embedding_dense_backward",
        "gather",
        "index",
        "index_add",
        "index_add_",
        "index_copy",
        "index_copy_",
        "index_fill",
        "index_fill_",
        "index_put",
        "index_put_",
        "index_select",
        "max_unpool2d",
        "max_unpool3d",
        "multi_margin_loss",
        "multi_margin_loss_backward",
        "multilabel_margin_loss_forward",
        "multinomial",
        "nll_loss2d_backward",
        "nll_loss2d_forward",
        "nll_loss_backward",
        "nll_loss_forward",
        "poisson",
        "put",
        "put_",
        "scatter",
        "scatter_",
        "scatter_add",
        "scatter_add_",
        "scatter_reduce",
        "scatter_reduce_",
        "take",
    ]
}


def holds(function, error):
    """Whether the operator's kernel on a GPU asserts what the CPU's raised this exception for."""
    # Shapes and types were found right when the operator ran on the virtual GPU, so that what is wrong is a value. What no CPU's
    # operator can do is another matter.
    is_of_values = isinstance(error, (IndexError, RuntimeError)) and not isinstance(
        error, NotImplementedError
    )
    return is_of_values and function._schema.name in OPERATORS


def fail(recorder, name, error, stack, code=CODE):
    """Lets the device fail, and tells the first time of the operator, with the stack of its first call, or of this moment. `code` is what
    calls return since."""
    if not recorder.values_fail(code):
        return
    reason = str(error).strip().split("\n", 1)[0][:200]
    if code == CODE:
        # As a kernel does.
        print(f"cgsan: {name}: device-side assert: {reason}", file=sys.stderr, flush=True)
    event = {
        "event": "device_failed",
        "operator": name,
        "reason": reason,
        "stack": stack or exceptions.stack(sys._getframe(1)),
        "code": code,
    }
    recorder.event(event)
