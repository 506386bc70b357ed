"""Calls of the host from within the steps."""

import numpy as np

from .packing import Packing
from .step import block_spec, run_dtype


class HostCalls:
    """The host steps that a loop calls, and what they returned in the present chunk.

    Attributes
    ----------
    steps : list of list of callable
        For each node on the host, its step for each item of the minibatch.
    first : int
        Number of the first step of the chunk, counted from 1.
    returned : list of list
        For each host group, the packed outputs of each step of the chunk so far.
    playback : list of list or None
        Outputs to return instead of calling anything.
    rows : list of list of ndarray
        What was recorded, packed: one a step so far, after that of no step.
    error : BaseException or None
        What a step raised.
    done : int
        Steps that were complete when it did, where the loop itself knows.
    """

    def __init__(self):
        self.steps, self.first, self.returned, self.playback, self.rows, self.error = [], 1, [], None, [], None
        self.done = 0

    def start(self, first, groups, playback=None):
        """Forget the last chunk."""
        self.first, self.error, self.playback = first, None, playback
        self.returned = [[] for _ in range(groups)]


def group_packing(group, functions):
    """How the inputs and the outputs of a host group travel: two Packings."""
    lead = () if functions.batch is None else (functions.batch,)
    inputs = tuple(
        ((*lead, int(np.prod(shape, dtype=int))), run_dtype(signal.dtype, functions.dtype))
        for node, shapes in zip(group.nodes, group.shapes)
        for signal, shape in zip(node.reads, shapes)
    )
    return Packing(inputs), Packing(tuple(block_spec(b, functions) for b in group.blocks))


def make_callback(group, number, at, calls, functions, rows):
    """The function that TensorFlow calls for a host group.

    Parameters
    ----------
    group : HostGroup
    number : int
        Which of the host groups it is.
    at : int
        Place of its first node among all nodes on the host.
    calls : HostCalls
    functions : StepFunctions
    rows : Packing
        What was recorded of the step before, which comes with the inputs.

    Returns
    -------
    callable
        ``message -> packed outputs``; a message is packed rows and inputs together.
    """
    inputs, outputs = group_packing(group, functions)
    pack, batch = outputs.array_packer(), functions.batch
    counts = [len(shapes) for shapes in group.shapes]
    ends = np.cumsum(counts)
    members = [(at + k, slice(e - c, e), shapes) for k, (c, e, shapes) in enumerate(zip(counts, ends, group.shapes))]

    def call(step_index, arrays):
        given = []
        for node, mine, shapes in members:
            items = [
                step(step_index, *[_item(x, s, item, batch) for x, s in zip(arrays[mine], shapes)])
                for item, step in enumerate(calls.steps[node])
            ]
            # The arrays are the step's own, which it overwrites in its next call: packing copies them.
            given += items[0] if batch is None else [np.stack(x) for x in zip(*items)]
        return pack(given) if given else []

    message = Packing((*rows.specs, *inputs.specs))
    row_sizes, rest = rows.sizes(), len(rows.specs)
    single = batch is None and len(message.dtypes()) == 1 and len(inputs.specs) == 1
    keeps = number == 0

    def callback(*vectors):
        if keeps:
            calls.rows.append([x[:size].copy() for x, size in zip(vectors, row_sizes)])
        done = calls.returned[number]
        if calls.playback is not None:
            done.append(calls.playback[number][len(done)])
            return done[-1]
        arrays = [vectors[0][sum(row_sizes):]] if single else message.unpack_arrays(vectors)[rest:]
        try:
            with np.errstate(invalid="raise", divide="ignore"):
                given = call(calls.first + len(done), arrays)
        except BaseException as error:
            calls.error = error
            raise
        done.append(given)
        return given

    return callback


def _item(array, shape, item, batch):
    return (array if batch is None else array[item]).reshape(shape)
