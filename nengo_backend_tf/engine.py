"""A running model: the stateful rim between the Simulator and the compiled programs."""

from contextlib import nullcontext

import numpy as np
import tensorflow as tf

from .graph.from_model import from_model
from .graph.node import SumOf
from .graph.views import elements
from .inspection import signal_value
from .ops import nodes_of
from .ops.python import HostContext, NoStepError, warn_of_fallbacks
from .program.array_loop import TENSORFLOW_CALL
from .program.chunk import run_chunk
from .program.compile import compile_graph
from .program.state import initial_carried, pack, unpack


class Engine:
    """Runs a model, and keeps its state.

    Parameters
    ----------
    model : nengo.builder.Model
    requests : tuple of Request
        What is recorded.
    options : Options
    device : str or None
        TensorFlow device; None for TensorFlow's own choice.

    Attributes
    ----------
    n_steps : int
        Steps since the last reset.
    values : dict
        Base signal -> ndarray, constants that the user changed.
    snapshot : dict
        Base signal -> ndarray, what the last step computed, where the step itself is no longer known.
    """

    def __init__(self, model, requests, options, device=None):
        self.model, self.requests, self.options, self.device = model, requests, options, device
        self.graph = from_model(model, nodes_of)
        warn_of_fallbacks(self.graph.nodes)
        self._ticks = any(node.key == "TimeUpdate" for node in self.graph.nodes)
        self._written_ahead = {w.signal.base for node in self.graph.nodes if node.where == "ahead" for w in node.writes}
        self._clock_signals = model.step.initial_value, model.time.initial_value
        self._programs = {}
        self.values, self.n_steps, self.share, self.plain, self.snapshot = {}, 0, True, False, {}
        self.program = self.carried = self.chunk = None
        # A chunk, and all that was computed in its last step, once someone has asked for a part of it.
        self.inspected = (None, {})
        # What was evaluated ahead for steps that an error kept from running, and the number of the step before them.
        self.unused, self.unused_after = {}, 0
        self.host_steps = {}

    def on_device(self):
        return nullcontext() if self.device is None else tf.device(self.device)

    def program_for(self, fixed=frozenset(), on_arrays=False):
        """The program in which the given constant signals are fed; state goes over from the present one."""
        key = (fixed, on_arrays, self.share, self.plain, tuple((s, v.tobytes()) for s, v in self.values.items()))
        if key not in self._programs:
            graph = self.graph.plain() if self.plain or on_arrays else self.graph
            with self.on_device():
                self._programs[key] = compile_graph(
                    graph, self.requests, self.options, self.values, fixed, self.share, on_arrays
                )
        program = self._programs[key]
        if program is not self.program:
            with self.on_device():
                self.carried = pack(program, {} if self.program is None else self._recoded(unpack(self.program, self.carried)))
            self.program = program
        return program

    def reset(self, seed):
        """Start again: initial values, and step functions with new random streams.

        Parameters
        ----------
        seed : int
            Seed of the simulator's random stream.
        """
        self.values, self.n_steps, self.share, self.plain, self.snapshot, self.chunk = {}, 0, True, False, {}, None
        self.unused = {}
        self.program_for()
        with self.on_device():
            self.carried = initial_carried(self.program)
        items = 1 if self.options.batch is None else self.options.batch
        per_item = [self._make_host_steps(seed, item) for item in range(items)]
        self.host_steps = {op: [steps[op] for steps in per_item] for op in per_item[0]}

    def _make_host_steps(self, seed, item):
        """Steps of the host nodes, by operator. Streams are drawn in nengo's order; item 0 has those of nengo.Simulator."""
        rng = np.random.RandomState(seed if item == 0 else [seed, item])
        host = HostContext(self.model.dt, self.model.step, self.model.time, rng, item)
        steps = {}
        for node in self.graph.nodes:
            if node.where != "device":
                try:
                    steps[node.op] = node.make_step(node.op, host)
                except NotImplementedError as error:
                    raise NoStepError(
                        f"{node.op}: {type(node.op).__name__} has no native rule, and its ``make_step`` is not implemented "
                        f"({error}). Register a rule with nengo_backend_tf.ops.register({type(node.op).__name__})."
                    ) from error
                except Exception as error:
                    error.add_note(f"Raised while making the step of {node.op}")
                    raise
            elif node.stream is not None:
                node.stream(rng)
        return steps

    def run(self, n, data, sink):
        """Run steps, in chunks.

        Parameters
        ----------
        n : int
            Number of steps.
        data : dict
            Base signal -> (n, ..., size) ndarray that is fed instead of what the model would compute.
        sink : callable
            ``sink(steps, recorded)`` is called after each chunk, with a list of (Request, ndarray (samples, ..., size)).

        Raises
        ------
        Exception
            Whatever a Python function of the model raises; all steps before it are complete.
        """
        # A few steps of a small model cost less on the host than a call of a compiled function, which is the rest of a step.
        on_arrays = n * self.program.array_cost < TENSORFLOW_CALL
        program = self.program_for(frozenset(s for s in data if s not in self._written_ahead), on_arrays)
        done = 0
        while done < n:
            count = min(n - done, program.capacity)
            fed = {s: x[done : done + count] for s, x in data.items()}
            with self.on_device():
                known = self.unused if self.unused_after == self.n_steps else None
                result = run_chunk(program, self.host_steps, self.carried, self.n_steps + 1, count, fed, known)
            if result.chunk is not None:
                self.carried, self.chunk, self.snapshot = result.carried, result.chunk, {}
                self.inspected = (None, {})
                self.n_steps += result.chunk.n
                sink(result.chunk.n, result.recorded)
            self.unused, self.unused_after = result.unused, self.n_steps
            if result.error is not None:
                raise result.error
            done += count

    def _recoded(self, values):
        """Carried values as coded nodes keep them, and as plain ones do."""
        for node in self.graph.nodes:
            if node.recode is not None:
                values = node.recode(values)
        return values

    def go_on(self, n_steps, values, share, plain, carried, snapshot):
        """Go on from a state: the attributes of these names, and carried signals."""
        self.n_steps, self.values, self.share, self.plain = n_steps, values, share, plain
        self.snapshot, self.chunk = snapshot, None
        self.program_for()
        with self.on_device():
            self.carried = pack(self.program, self._recoded(carried))

    def clock(self):
        """Number of steps and time in seconds, as the model's own signals have them."""
        step, time = self._clock_signals
        if not self._ticks:
            return step.item(), time.item()
        step = step.dtype.type(self.n_steps)
        return step.item(), time.dtype.type(step * self.model.dt).item()

    def carried_values(self, base=None):
        """Base signal -> (..., *shape) ndarray of everything that lasts into the next step, or of one base signal."""
        return unpack(self.program, self.carried, base)

    def set_signal(self, signal, value):
        """Go on with another value of a signal.

        Parameters
        ----------
        signal : Signal
        value : (..., *shape) ndarray
        """
        base = signal.base
        if base is self.model.step:
            self.n_steps = int(value)
            return
        self._keep_plain_state(base)
        self._carry_apart(base)
        carried = self.carried_values()
        present = np.array(carried.get(base, self.values.get(base, base.initial_value)))
        lead = value.shape[: value.ndim - signal.ndim]
        index = elements(signal)
        flat = np.broadcast_to(present, (*lead, *base.shape)).reshape((*lead, -1)).copy()
        flat[..., slice(None) if index is None else index] = value.reshape((*lead, -1))
        present = flat.reshape((*lead, *base.shape))
        if base in carried:
            self._set_carried(base, present, carried)
        elif not any(w.signal.base is base for node in self.graph.nodes for w in node.writes):
            self.values[base] = present
            self.program_for()

    def _keep_plain_state(self, base):
        """Go on with all state as nengo has it, where a signal belongs to a node that keeps it otherwise."""
        coded = [node for node in self.graph.nodes if node.plain is not None]
        if self.plain or not any(w.signal.base is base for node in coded for w in node.writes):
            return
        state = {s.base for node in coded for s in node.plain.reads} & {w.signal.base for n in coded for w in n.writes}
        values = {s: signal_value(self, s) for s in state}
        carried = self.carried_values()
        self.plain = True
        self.program_for()
        with self.on_device():
            self.carried = pack(self.program, {**carried, **values})

    def _carry_apart(self, base):
        """Carry every signal by itself, where one is carried together with others."""
        carried_as = [c.signals for c in self.program.flat.carried]
        sums = [signals[0] for signals in carried_as if isinstance(signals[0], SumOf)]
        if not any(base in total for total in sums) and not any(base in s and len(s) > 1 for s in carried_as):
            return
        values = {s: signal_value(self, s) for total in sums for s in total}
        carried = self.carried_values()
        self.share = False
        self.program_for()
        with self.on_device():
            self.carried = pack(self.program, self._recoded({**carried, **values}))

    def _set_carried(self, base, present, carried):
        with self.on_device():
            self.carried = pack(self.program, self._recoded({**carried, base: present}))
