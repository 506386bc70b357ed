"""Call the functions that only consume values, after the steps of a chunk."""

import numpy as np

from .recording import sampled
from .state import evaluate
from .step import run_dtype


def call_after(program, host_steps, first, n, inputs):
    """Call the deferred functions for each step of a chunk, in order.

    Parameters
    ----------
    program : Program
    host_steps : dict
        Node operator -> list of its steps, one an item of the minibatch.
    first : int
        Number of the first step, counted from 1.
    n : int
        Number of steps.
    inputs : dict
        (kernel, input) -> (n, ..., size) ndarray.

    Returns
    -------
    int
        Steps that are complete.
    dict
        Value -> (n, ..., size) ndarray of what was returned.
    BaseException or None
        What a function raised.
    """
    batch, dtype = program.options.batch, program.options.dtype
    lead = (n,) if batch is None else (n, batch)
    calls, outputs = [], {}
    for k, kernel in enumerate(program.flat.after):
        for (value,), output in zip(kernel.outputs, kernel.node.outputs):
            outputs[value] = np.zeros((*lead, program.flat.values[value].size), run_dtype(output.dtype, dtype))
        arrays = [inputs[k, i] for i in range(len(kernel.inputs))]
        targets = [outputs[value] for (value,) in kernel.outputs]
        for item, step in enumerate(host_steps[kernel.node.op]):
            at = () if batch is None else (item,)
            calls.append((step, arrays, kernel.input_shapes, targets, at))
    with np.errstate(invalid="raise", divide="ignore"):
        for i in range(n):
            try:
                for step, arrays, shapes, targets, at in calls:
                    given = step(first + i, *(x[(i, *at)].reshape(s) for x, s in zip(arrays, shapes)))
                    for target, value in zip(targets, given):
                        target[(i, *at)] = value.reshape(-1)
            except BaseException as error:  # Ctrl-C too must leave the steps before it complete
                return i, {v: x[:i] for v, x in outputs.items()}, error
    return n, outputs, None


def late_recordings(program, first, n, outputs):
    """(Request, (S, ..., size) ndarray) of what is recorded of the deferred functions' outputs."""
    batch = program.options.batch
    lead = (n,) if batch is None else (n, batch)
    return [
        (r, evaluate(a, outputs.__getitem__, lead, run_dtype(r.dtype, program.options.dtype))[sampled(first, n, r.period)])
        for r, a in program.late
    ]
