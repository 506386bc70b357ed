"""Timesteps without host calls between them: one compiled loop for any number of steps."""

import tensorflow as tf

from .step import compute_group, first_blocks, next_carried


def make_loop(functions, recordings, capacity, unroll=1, xla=True):
    """A compiled function that runs up to ``capacity`` steps.

    Parameters
    ----------
    functions : StepFunctions
        With device groups only.
    recordings : tuple of Recording
    capacity : int
        Most steps of one call; sizes of arrays depend on it, not on the steps that are run.
    unroll : int
        Steps that one turn of the loop computes.
    xla : bool
        Whether XLA compiles it.

    Returns
    -------
    callable
        ``run(n, rows, ahead, carried) -> (carried, recorded)``. ``rows``: (capacity,) int32 for each recording that does
        not sample every step. ``ahead``: (capacity, ..., width) for each block evaluated ahead. ``recorded``:
        (capacity, ..., width) for each recording.
    """

    def step(i, rows, ahead, carried, recorded):
        blocks = first_blocks([x[i] for x in ahead], carried, functions)
        for group in functions.groups:
            blocks = compute_group(group, blocks, functions)
        carried = next_carried(blocks, functions)
        return carried, record(i, rows, blocks, recorded, recordings, functions.batch)

    def run(n, rows, ahead, carried):
        recorded = tuple(empty_recording(r, capacity, functions.batch) for r in recordings)

        def turn(steps):
            def body(i, carried, recorded):
                for k in range(steps):
                    carried, recorded = step(i + k, rows, ahead, carried, recorded)
                return i + steps, carried, recorded

            return body

        state = (tf.constant(0), tuple(carried), recorded)
        if unroll > 1:
            whole = n - n % unroll
            state = tf.while_loop(lambda i, *_: i < whole, turn(unroll), state)
        _, carried, recorded = tf.while_loop(lambda i, *_: i < n, turn(1), state)
        return carried, recorded

    return traced_once(tf.function(run, autograph=False, jit_compile=xla))


def traced_once(function):
    """A tf.function that is only ever called with arguments of the same shapes and dtypes.

    It is traced by its first call. After that TensorFlow need not look at the arguments again, which takes it longer than
    to run a few steps of a small network. ``.function`` is the function itself, and ``.specs`` are what it is called with.
    """
    concrete = None

    def call(*arguments):
        nonlocal concrete
        if concrete is None:
            specs = tf.nest.map_structure(lambda x: tf.TensorSpec(x.shape, x.dtype), arguments)
            concrete = function.get_concrete_function(*specs)
            call.specs = specs
        return concrete(*arguments)

    call.function = function
    return call


def recording_shape(recording, capacity, batch):
    """Shape of the array that a chunk of ``capacity`` steps records into, with a row for what is not sampled."""
    samples = capacity if recording.period <= 1 else int(capacity / recording.period) + 2
    return (samples, *(() if batch is None else (batch,)), recording.width)


def empty_recording(recording, capacity, batch):
    return tf.zeros(recording_shape(recording, capacity, batch), recording.dtype)


def record(i, rows, blocks, recorded, recordings, batch):
    """Write the sampled signals of a step into their rows."""
    rows = iter(rows)
    new = []
    for recording, array in zip(recordings, recorded):
        row = i if recording.period <= 1 else next(rows)[i]
        value = tf.convert_to_tensor(recording.read(blocks))
        value = tf.broadcast_to(value, array.shape[1:])
        new.append(tf.tensor_scatter_nd_update(array, [[row]], value[None]))
    return tuple(new)
