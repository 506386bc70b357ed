"""The pipeline: Graph -> Program."""

from typing import Any, Callable, NamedTuple

import numpy as np

from ..graph import affine as aff
from ..graph.check import check_graph
from ..graph.defer import defer
from ..graph.flatten import flatten
from ..graph.plan import plan_stages
from ..graph.simplify import JOINING, PASSES
from ..graph.stages import check_stages, split_stages
from ..graph.views import elements
from ..memory.layout import layout
from .array_loop import array_cost, make_array_loop, runs_on_host
from .host_calls import HostCalls
from .host_loop import make_host_loop
from .loop import make_loop
from .recording import Request, make_recordings
from .staged import make_staged, plan_streams, streams_size
from .step import make_step_functions

#: Most timesteps of one call of a compiled function.
CHUNK_STEPS = 2000
#: Arrays of a chunk (what is evaluated ahead, and recorded) take at most about so many bytes.
CHUNK_BYTES = 2**24


class Options(NamedTuple):
    """How a program is compiled.

    Attributes
    ----------
    dtype : numpy.dtype
        Of floats.
    batch : int or None
        Size of the minibatch; None for no minibatch axis.
    unroll : int
        Steps that one turn of a loop computes.
    xla : bool
        Whether XLA compiles loops and sections.
    host_loop : {"auto", "tensorflow"}
        Whether steps with host calls may run on the host as a whole.
    stages : {"auto", "all", "one"}
        What runs for all timesteps of a chunk at once, as `split_stages` says.
    """

    dtype: Any
    batch: Any = None
    unroll: int = 1
    xla: bool = True
    host_loop: str = "auto"
    stages: str = "auto"


class Program(NamedTuple):
    """A compiled model.

    Attributes
    ----------
    flat : FlatGraph
    layout : Layout
    functions : StepFunctions
    stages : tuple of StagePlan
    recordings : tuple of Recording
    late : tuple of (Request, Affine)
        What is recorded of the outputs of deferred functions.
    capacity : int
        Most steps of one call of ``run``.
    run : callable
        As `make_loop` says, or `make_host_loop` where there are calls.
    calls : HostCalls or None
        The host steps that are called within the steps, if there are any; never None where the steps run on the host.
    on_host : tuple of Node
        Nodes that are called within the steps.
    on_arrays : bool
        Whether the steps run on the host as a whole.
    array_cost : float
        What a step costs there, in microseconds; infinite where it may not run there.
    options : Options
    """

    flat: Any
    layout: Any
    functions: Any
    stages: tuple
    recordings: tuple
    late: tuple
    capacity: int
    run: Callable
    calls: Any
    on_host: tuple
    on_arrays: bool
    array_cost: float
    options: Options


def simplified(graph, values=None, fixed=frozenset(), share=True):
    """The FlatGraph of a Graph after all passes, checked after each."""
    flat = check_graph(flatten(graph, values, fixed), "flatten")
    for name, simplify in PASSES.items():
        if share or name not in JOINING:
            flat = check_graph(simplify(flat), name)
    return flat


def compile_graph(graph, requests, options, values=None, fixed=frozenset(), share=True, on_arrays=False):
    """Compile a graph.

    Parameters
    ----------
    graph : Graph
    requests : sequence of Request
        What is recorded.
    options : Options
    values : dict, optional
        Base signal -> ndarray, values of signals that the user changed.
    fixed : frozenset of Signal
        Constant signals that are fed in each step.
    share : bool
        Whether signals that always hold one value are carried as one.
    on_arrays : bool
        Whether the steps run on the host as a whole, whatever they call.

    Returns
    -------
    Program
    """
    def grouped(graph, mode):
        flat = simplified(graph, values, fixed, share)
        flat = check_graph(defer(flat, [final_value(flat, r.signal) for r in requests]), "defer")
        stages = check_stages(flat, split_stages(flat, options.batch, mode))
        return flat, stages, plan_stages(stages)

    flat, stages, groups = grouped(graph, "one" if on_arrays else options.stages)
    if options.host_loop != "tensorflow" and any(g.where == "host" for g in groups):
        # Also where ``on_arrays`` is asked for: programs that take turns must carry the same signals.
        plain = grouped(graph.plain(), "one")
        if runs_on_host(plain[2], options.batch):
            on_arrays, (flat, stages, groups) = True, plain
    recorded, late = split_requests(flat, requests)
    placed = layout(flat, groups, [a for _, a in recorded], not on_arrays, stages)
    functions = make_step_functions(flat, placed, options.dtype, options.batch)
    recordings = make_recordings(recorded, placed, options.dtype)
    plans = plan_streams(stages, functions, recordings)
    capacity = chunk_capacity(placed, plans, functions, recordings, options)
    on_host = tuple(k.node for g in placed.groups if g.form == "host" for k in g.kernels)
    calls = HostCalls() if on_host or on_arrays else None
    cost = array_cost(groups, options.batch) if options.host_loop != "tensorflow" else np.inf
    if on_arrays:
        run = make_array_loop(flat, functions, recordings, calls)
    elif on_host:
        run = make_host_loop(functions, recordings, calls, options.xla)
    elif len(plans) > 1 or plans[0].kind == "sweep":
        run = make_staged(plans, functions, recordings, capacity, options.unroll, options.xla)
    else:
        run = make_loop(functions, recordings, capacity, options.unroll, options.xla)
    return Program(flat, placed, functions, plans, recordings, late, capacity, run, calls, on_host, on_arrays, cost, options)


def split_requests(flat, requests):
    """What is recorded in the steps, and what of the outputs of deferred functions: lists of (Request, Affine)."""
    requested = [(r, final_value(flat, r.signal)) for r in requests]
    given_after = {v for k in flat.after for output in k.outputs for v in output}
    late = tuple((r, a) for r, a in requested if a.values() & given_after)
    return [(r, a) for r, a in requested if not a.values() & given_after] + after_inputs(flat), late


def after_inputs(flat):
    """Requests for what the deferred functions are called with: (Request, Affine) pairs with key (kernel, input)."""
    return [
        (Request((k, i), None, kernel.node.reads[i].dtype), affine)
        for k, kernel in enumerate(flat.after)
        for i, affine in enumerate(kernel.inputs)
    ]


def final_value(flat, signal):
    """The Affine of a signal after the step."""
    base = flat.final.get(signal.base)
    return aff.take(aff.constant(signal.base.initial_value) if base is None else base, elements(signal))


def chunk_capacity(placed, plans, functions, recordings, options):
    """Most steps of a chunk, by the memory that they take."""
    items = 1 if options.batch is None else options.batch
    step = sum(placed.blocks[b].size * placed.blocks[b].dtype.itemsize for b in placed.ahead)
    step += streams_size(plans, functions)
    step += sum(r.width * r.dtype.itemsize / max(1, r.period) for r in recordings)
    return int(max(1, min(CHUNK_STEPS, CHUNK_BYTES // max(1, step * items))))
