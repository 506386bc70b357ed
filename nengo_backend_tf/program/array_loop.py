"""Timesteps that run on the host as a whole, with NumPy.

A call of the host out of a compiled loop costs more than all the steps of a small network: where a Python function of
the user's has to be called in every step, it is cheaper to stay on the host. The groups are the same as on the device, so
that this is no slower than nengo's own simulator.
"""

import numpy as np

from ..memory.arrays import array_reader
from ..ops.python import private_signals
from ..ops.registry import Context
from .step import HostGroup, block_spec, run_dtype

#: What a step costs with TensorFlow's host calls, what calling a compiled function costs, and what a group and an
#: element of its arrays cost here, in microseconds on the machine where they were measured; only their ratios matter.
TENSORFLOW_STEP = 200.0
TENSORFLOW_CALL = 300.0
GROUP = 6.0
ELEMENT = 0.03
MULTIPLY_ADD = 0.001


def array_cost(groups, batch):
    """What a step costs on the host, beside Python functions of the user's: microseconds, infinite where it cannot run there.

    Parameters
    ----------
    groups : tuple of Group
    batch : int or None
        Size of the minibatch.
    """
    cost = 0.0 if batch is None else np.inf
    for group in groups:
        if group.where == "host":
            continue
        if not all(_has_step(k) for k in group.kernels):
            return np.inf
        cost += GROUP * (1 if _array_node(group).make_array_step is not None else len(group.kernels))
        cost += sum(_work(k) for k in group.kernels)
    return cost


def runs_on_host(groups, batch):
    """Whether steps with host calls are cheaper on the host than on the device."""
    return any(g.where == "host" for g in groups) and array_cost(groups, batch) < TENSORFLOW_STEP


def _array_node(kernel):
    """The node that runs on arrays."""
    return kernel.node if kernel.node.plain is None else kernel.node.plain


def _has_step(kernel):
    """Whether the node can run on arrays: nengo's own step takes no inputs but the operator's signals."""
    node = _array_node(kernel)
    return node.make_array_step is not None or (
        node.op is not None and all(s in node.op.all_signals for s in node.reads) and not node.stacks
    )


def _work(kernel):
    if kernel.node.stacks:
        return MULTIPLY_ADD * kernel.inputs[0].size
    return ELEMENT * max((a.size for a in kernel.inputs), default=1)


def make_array_loop(flat, functions, recordings, calls):
    """A function that runs steps on the host.

    Parameters
    ----------
    flat : FlatGraph
    functions : StepFunctions
    recordings : tuple of Recording
    calls : HostCalls
        The host steps to call.

    Returns
    -------
    callable
        ``run(n, ahead, carried) -> (carried, recorded)`` as `make_host_loop` has it, of ndarrays.
    """
    layout, dtype = functions.layout, functions.dtype
    groups = _make_groups(flat, functions, calls)
    after = [_next_value(c, layout, dtype) for c in layout.carried]
    records = [
        array_reader(r.affines, "flat", (r.width,), layout, r.dtype) for r in recordings
    ]

    def step(i, ahead, carried):
        blocks = dict(zip(layout.ahead, [x[i] for x in ahead]))
        blocks.update((c.block, x) for c, x in zip(layout.carried, carried))
        for group in groups:
            group(i, blocks)
        return [read(blocks) for read in after], [read(blocks) for read in records]

    def run(n, ahead, carried):
        n, ahead = int(n), [np.asarray(x) for x in ahead]
        carried = [np.array(x) for x in carried]
        rows = [np.zeros((n, r.width), r.dtype) for r in recordings]
        i = 0
        try:
            with np.errstate(invalid="raise", divide="ignore"):
                for i in range(n):
                    carried, row = step(i, ahead, carried)
                    for array, values in zip(rows, row):
                        array[i] = values
        except BaseException as error:
            calls.error, calls.done = error, i
            for returned in calls.returned:
                del returned[i:]
            raise
        return tuple(carried), tuple(rows)

    return run


def _next_value(carried, layout, dtype):
    if carried.source is not None:
        return lambda blocks: blocks[carried.source]
    block = layout.blocks[carried.block]
    read = array_reader([c.after for c in carried.carried], "flat", block.shape, layout, run_dtype(block.dtype, dtype))
    return lambda blocks: np.array(read(blocks))


def _make_groups(flat, functions, calls):
    """For each group a function (i, blocks) that fills its blocks."""
    made, host, at = [], 0, 0
    for group, placed in zip(functions.groups, functions.layout.groups):
        if isinstance(group, HostGroup):
            made.append(_host_group(group, placed, host, at, functions, calls))
            host, at = host + 1, at + len(group.nodes)
        else:
            made.append(_device_group(placed, flat, functions))
    return made


def _readers(kernels, form, shapes, functions):
    nodes = kernels[0].node
    return [
        array_reader([k.inputs[i] for k in kernels], form, shape, functions.layout, _dtype(nodes, i, functions))
        for i, shape in enumerate(shapes)
    ]


def _dtype(node, i, functions):
    reads = [s for s in node.reads if not s.sparse]
    dtype = reads[i].dtype if i < len(reads) else node.outputs[0].dtype
    return run_dtype(dtype, functions.dtype)


def _device_group(placed, flat, functions):
    kernels, layout = placed.kernels, functions.layout
    readers = _readers(kernels, placed.form, placed.input_shapes, functions)
    sizes = tuple(sum(flat.values[v].size for v in k.outputs[0]) for k in kernels)
    context = Context(flat.dt, functions.dtype, placed.form, placed.input_shapes, sizes)
    node = kernels[0].node
    make = node.make_array_step if node.make_array_step is not None else _make_member_steps([k.node for k in kernels])
    step = make([k.node.op for k in kernels], context)
    shapes = [layout.blocks[b].shape for b in placed.output_blocks]

    targets = list(zip(placed.output_blocks, shapes))
    if len(readers) == 2:
        first, second = readers

        def call(blocks):
            return step(first(blocks), second(blocks))

    else:

        def call(blocks):
            return step(*[read(blocks) for read in readers])

    def run(i, blocks):
        for (block, shape), output in zip(targets, call(blocks)):
            blocks[block] = output if output.shape == shape else output.reshape(shape)

    return run


def _make_member_steps(nodes):
    """``make_step`` of nengo's own steps, one for each member of a group."""

    def make(ops, context):
        steps = [_nengo_step(node, context.dt) for node in nodes]

        def step(*inputs):
            starts = [0] * len(inputs)
            members = []
            for member in steps:
                given = []
                for k, x in enumerate(inputs):
                    size = member.sizes[k]
                    given.append(x.reshape(-1)[starts[k] : starts[k] + size])
                    starts[k] += size
                members.append(member(*given))
            return [np.concatenate([o.reshape(-1) for o in out]) for out in zip(*members)]

        return step

    return make


def _nengo_step(node, dt):
    """A node through its operator's own step: step(*flat inputs) -> outputs."""
    signals = private_signals(node.op)
    targets = [signals[s] for s in node.reads if not s.sparse]  # sparse matrices are no inputs: they never change
    first = {}
    for write in node.writes:
        first.setdefault(write.output, signals[write.signal])
    sources = [first[k] for k in sorted(first)]
    incremented = [signals[s] for s in node.op.incs]
    function = node.op.make_step(signals, dt, np.random.RandomState(0))

    def step(*inputs):
        for target, value in zip(targets, inputs):
            target[...] = value.reshape(target.shape)
        for target in incremented:
            target[...] = 0
        function()
        return [np.array(source) for source in sources]

    step.sizes = [target.size for target in targets]
    return step


def _host_group(group, placed, number, at, functions, calls):
    """Calls of the user's functions, or what they returned before."""
    nodes = []
    for k, (kernel, shapes) in enumerate(zip(placed.kernels, group.shapes)):
        readers = _readers([kernel], "flat", [(a.size,) for a in kernel.inputs], functions)
        nodes.append((at + k, list(zip(readers, shapes))))
    specs = [block_spec(b, functions) for b in group.blocks]

    def call(i, blocks):
        given = []
        for node, reads in nodes:
            given += calls.steps[node][0](calls.first + i, *[read(blocks).reshape(shape) for read, shape in reads])
        # The arrays are the step's own, which it overwrites in its next call.
        return [np.array(x, dtype) for x, (_, dtype) in zip(given, specs)]

    def run(i, blocks):
        done = calls.returned[number]
        done.append(call(i, blocks) if calls.playback is None else calls.playback[number][i])
        blocks.update(zip(group.blocks, done[-1]))

    return run
