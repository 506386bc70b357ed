"""What runs on the host: Node functions, and whatever has no rule of its own, through nengo's own step functions."""

import math
import warnings
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import nengo
import numpy as np
from nengo.builder.operator import Operator, SimPyFunc
from nengo.builder.signal import SignalDict
from nengo.exceptions import BuildError, SimulationError
from nengo.transforms import SparseMatrix
from nengo.utils.functions import function_name

from ..graph.node import Node, Output, Write
from .registry import register_rule


class HostFallbackWarning(UserWarning):
    """Something has no native rule and runs step by step on the host."""


class NonFiniteWarning(UserWarning):
    """A user's own process, neuron type or operator computed NaN or infinity, which nengo lets pass."""


class NoStepError(BuildError, NotImplementedError):
    """An operator has neither a rule nor a ``make_step``. Nengo raises a NotImplementedError."""


class HostContext(NamedTuple):
    """What the step of a host node is made with.

    Attributes
    ----------
    dt : float
        Length of a timestep in seconds.
    step, time : Signal
        The model's clock.
    rng : numpy.random.RandomState
        The simulator's random stream.
    item : int
        Which item of the minibatch the step is for.
    """

    dt: float
    step: Any
    time: Any
    rng: Any
    item: int = 0


def private_signals(op):
    """Arrays of its own for all signals of an operator, at their initial values, writeable."""
    signals = SignalDict()
    for signal in op.all_signals:
        initial = signal.base.initial_value
        if signal.base not in signals:
            data = initial.allocate() if isinstance(initial, SparseMatrix) else initial
            dict.__setitem__(signals, signal.base, data if signal.base.sparse else np.array(data))
        signals[signal]  # makes the view
    op.init_signals(signals)
    return signals


def make_host_step(op, host, reads, written, watched=False):
    """An operator through its own ``make_step``: step(step_index, *inputs) -> outputs.

    The outputs are arrays of the step's own, which the next call overwrites. ``step.signals`` maps signals to them;
    ``step.function`` is the operator's own step. Where it is ``watched``, a warning says when its first output is no
    longer finite.
    """
    signals = private_signals(op)
    targets = [signals[s] for s in reads]
    sources = [signals[s] for s in written]
    incremented = [signals[s] for s in op.incs]
    step_array, time_array = signals.get(host.step), signals.get(host.time)
    as_step = host.step.dtype.type
    function = op.make_step(signals, host.dt, host.rng)
    watched = watched and bool(sources)

    def step(step_index, *inputs):
        nonlocal watched
        if step_array is not None:
            step_array[...] = step_index
        if time_array is not None:
            time_array[...] = as_step(step_index) * host.dt
        for target, value in zip(targets, inputs):
            target[...] = value
        for target in incremented:
            target[...] = 0
        try:
            function()
        except Exception as error:
            name_step(error, str(op), step_index, host.dt)
            raise
        if watched and not np.isfinite(sources[0]).all() and all(np.isfinite(x).all() for x in inputs):
            watched = False
            warnings.warn(f"{op} computed {sources[0]} in step {step_index}, which is not finite.", NonFiniteWarning)
        return sources

    step.signals, step.function = signals, function
    return step


def name_step(error, label, step_index, dt):
    """Add to what a step raised in which object and step that was, which the user reads below the traceback."""
    note = f"Raised in step {step_index} (t = {step_index * dt:g} s) by {label}"
    if note not in getattr(error, "__notes__", ()):
        error.add_note(note)


def host_node(op, model, *, reads=None, where="host", functions=(), warn_of=None, register=None):
    """A node that runs an operator through nengo's own step function on the host.

    Parameters
    ----------
    op : nengo.builder.Operator
    model : nengo.builder.Model
    reads : tuple of Signal, optional
        Signals whose values the step needs; by default all that it reads but the clock, and all that it sets or
        updates, since it may keep state in them.
    where : {"host", "ahead"}
        "ahead" where the step needs no values; its state then stays in arrays of its own.
    functions : tuple of callable
        The user's functions that it calls.
    warn_of : type, optional
        The class that has no native rule, named in a warning.
    register : str, optional
        The decorator that registers a native rule for it.
    """
    _check_step(op)
    clock = (model.step, model.time)
    if reads is None:
        reads = tuple(s for s in (*op.reads, *op.sets, *op.updates) if s not in clock and not s.sparse)
    modes = [(s, mode) for mode in ("set", "inc", "update") for s in getattr(op, f"{mode}s")]
    written = tuple(s for s, _ in modes)

    def make_step(op, host):
        return make_host_step(op, host, reads, written, watched=warn_of is not None or bool(functions))

    return Node(
        op=op, make_step=make_step, reads=reads, outputs=tuple(Output(s.shape, s.dtype) for s in written),
        writes=tuple(Write(s, mode, i) for i, (s, mode) in enumerate(modes)), key=id(op), where=where, label=str(op),
        functions=functions, fallback=None if warn_of is None else fallback_message(warn_of, register),
    )


def fallback_message(slow, register):
    """What users are told of a class that has no native rule."""
    return (
        f"{slow.__module__}.{slow.__qualname__} has no native TensorFlow rule, so that it runs step by step on the host, "
        f"through nengo's own step function, which is slow. Register a native rule with nengo_backend_tf.ops.{register}("
        f"{slow.__name__}) to change that."
    )


def warn_of_fallbacks(nodes):
    """Warn of every class that has no native rule, once."""
    for message in dict.fromkeys(node.fallback for node in nodes if node.fallback is not None):
        warnings.warn(message, HostFallbackWarning, stacklevel=2)


def _check_step(op):
    if type(op).make_step is Operator.make_step:
        raise NoStepError(
            f"{op}: operators of type {type(op).__module__}.{type(op).__name__} have no native rule, and no ``make_step`` "
            f"to run on the host. Expected one of the two. Register a rule with nengo_backend_tf.ops.register("
            f"{type(op).__name__}), or implement ``make_step``. (Built from: {op.tag or _signal_names(op)}.)"
        )


def _signal_names(op):
    return ", ".join(s.name for s in op.all_signals) or "no signals"


def make_function_step(op, host, label):
    """A user's function: step(step_index, *x) -> (output,), as nengo calls it.

    The function gets the time as a Python float and its input as an array that it may keep and change.
    """
    function, output = op.fn, None if op.output is None else np.array(op.output.initial_value)
    time_of = make_clock(host)
    given, dtype = () if output is None else (output,), None if op.x is None else op.x.dtype

    def step(step_index, *inputs):
        arguments = [np.array(x, dtype) for x in inputs]
        try:
            if op.t is None:
                value = function(*arguments)
            else:
                value = function(time_of(step_index), *arguments)
            if output is not None:
                put_finite(value, output, function)
        except Exception as error:
            name_step(error, label, step_index, host.dt)
            raise
        return given

    return step


def make_clock(host):
    """A function step_index -> time in seconds, as a Python float, exactly as nengo computes it."""
    as_step, as_time, dt = host.step.dtype.type, host.time.dtype.type, host.dt
    if as_step is np.int64 and as_time is np.float64 and type(dt) is float:
        return lambda step_index: step_index * dt
    return lambda step_index: as_time(as_step(step_index) * dt).item()


def put_finite(value, output, function):
    """``output[...] = value``, or nengo's SimulationError where a function returned what cannot be put there."""
    try:
        if value is None or not (math.isfinite(value) if isinstance(value, float) else np.isfinite(value).all()):
            raise SimulationError(f"Function '{function_name(function)}' returned non-finite value")
        output[...] = value
    except (TypeError, ValueError) as error:
        raise SimulationError(
            f"Function '{function_name(function)}' returned a value {value!r} of invalid type {type(value)!r}"
        ) from error


def function_label(op, model):
    """What a function is called in messages: by its signals, or where it has none, by the Node that it was given to."""
    if op.x is not None or op.output is not None:
        return str(op)
    nodes = (node for node in model.params if isinstance(node, nengo.Node) and node.output is op.fn)
    return " of ".join([str(op), *map(str, islice(nodes, 1))])


@register_rule(SimPyFunc)
def python_rule(op, model):
    """A user's function: of the time alone ahead of the steps, of values within them."""
    if op.t is not None and op.t is not model.time:
        return host_node(op, model, reads=op.reads, functions=(op.fn,))
    output, label = () if op.output is None else (op.output,), function_label(op, model)
    return Node(
        op=op, make_step=partial(make_function_step, label=label), reads=() if op.x is None else (op.x,),
        outputs=tuple(Output(s.shape, s.dtype) for s in output), writes=tuple(Write(s, "set") for s in output),
        key=id(op), where="ahead" if op.x is None else "host", label=label, functions=(op.fn,),
    )


@register_rule(None)
def fallback_rule(op, model):
    """The rule of operators that have none."""
    return host_node(op, model, warn_of=type(op), register="register")
