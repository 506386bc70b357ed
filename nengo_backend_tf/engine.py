"""A running model: the stateful rim between the Simulator and the compiled programs."""

from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf
from nengo.exceptions import BuildError

from .graph.from_model import from_model
from .graph.views import elements
from .ops import nodes_of
from .ops.python import HostContext
from .program.ahead import AheadError, evaluate_ahead
from .program.compile import compile_graph
from .program.recording import sample_rows, sampled
from .program.state import initial_carried, pack, unpack


class Chunk(NamedTuple):
    """What the last chunk of steps was run with, so that its last step can be looked into.

    Attributes
    ----------
    program : Program
    n : int
        Number of steps.
    first : int
        Number of the first step, counted from 1.
    ahead : tuple of ndarray
    carried : tuple of tensor
        Before the first step; before the last where ``host`` is not None.
    host : list of list of ndarray or None
        What the host groups returned in the last step.
    """

    program: Any
    n: int
    first: int
    ahead: tuple
    carried: tuple
    host: Any = None


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
        self._programs = {}
        self.values, self.n_steps, self.share, self.snapshot = {}, 0, True, {}
        self.program = self.carried = self.chunk = None
        self.host_steps = {}

    def on_device(self):
        return tf.device(self.device)

    def program_for(self, fixed=frozenset()):
        """The program in which the given constant signals are fed; state goes over from the present one."""
        key = (fixed, self.share, tuple((s, v.tobytes()) for s, v in self.values.items()))
        if key not in self._programs:
            with self.on_device():
                self._programs[key] = compile_graph(
                    self.graph, self.requests, self.options, self.values, fixed, self.share
                )
        program = self._programs[key]
        if program is not self.program:
            with self.on_device():
                self.carried = pack(program, {} if self.program is None else unpack(self.program, self.carried))
            self.program = program
        return program

    def reset(self, seed):
        """Start again: initial values, and step functions with new random streams.

        Parameters
        ----------
        seed : int
            Seed of the simulator's random stream.
        """
        self.values, self.n_steps, self.share, self.snapshot, self.chunk = {}, 0, True, {}, None
        self.program_for()
        with self.on_device():
            self.carried = initial_carried(self.program)
        items = 1 if self.options.batch is None else self.options.batch
        per_item = [self._make_host_steps(seed, item) for item in range(items)]
        self.host_steps = {node: [steps[node] for steps in per_item] for node in per_item[0]}

    def _make_host_steps(self, seed, item):
        """Steps of the host nodes. Streams are drawn in nengo's order; item 0 has those of nengo.Simulator."""
        rng = np.random.RandomState(seed if item == 0 else [seed, item])
        host = HostContext(self.model.dt, self.model.step, self.model.time, rng)
        steps = {}
        for node in self.graph.nodes:
            if node.where != "device":
                try:
                    steps[node] = node.make_step(node.op, host)
                except NotImplementedError as error:
                    raise BuildError(
                        f"{node.op}: {type(node.op).__name__} has no native rule, and its ``make_step`` is not implemented "
                        f"({error}). Register a rule with nengo_backend_tf.ops.register({type(node.op).__name__})."
                    ) from error
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
            ``sink(steps, recorded)`` is called after each chunk, with a list of (Recording, ndarray (samples, ..., width)).

        Raises
        ------
        Exception
            Whatever a Python function of the model raises; all steps before it are complete.
        """
        ahead_outputs = {w.signal.base for node, _ in self._ahead_nodes() for w in node.writes}
        program = self.program_for(frozenset(s for s in data if s not in ahead_outputs))
        done = 0
        while done < n:
            count = min(n - done, program.capacity)
            fed = {s: x[done : done + count] for s, x in data.items()}
            self._run_chunk(program, count, fed, sink)
            done += count

    def _ahead_nodes(self):
        return self.program.flat.ahead

    def _run_chunk(self, program, n, fed, sink):
        first = self.n_steps + 1
        try:
            ahead, error = evaluate_ahead(program, self.host_steps, first, n, fed), None
        except AheadError as failure:
            n, ahead, error = failure.steps, failure.arrays, failure.error
        if n:
            with self.on_device():
                if program.calls is None:
                    self._run_device(program, first, n, ahead, sink)
                else:
                    self._run_host(program, first, n, ahead, sink)
        if error is not None:
            raise error

    def _run_device(self, program, first, n, ahead, sink):
        arrays = tuple(tf.constant(a) for a in ahead)
        before = self.carried
        self.carried, recorded = program.run(tf.constant(n), self.rows(program, first, n), arrays, before)
        self.chunk, self.snapshot = Chunk(program, n, first, ahead, before), {}
        self.n_steps += n
        sink(n, [
            (r, x.numpy()[: int(sampled(first, n, r.period).sum())]) for r, x in zip(program.recordings, recorded)
        ])

    def _run_host(self, program, first, n, ahead, sink):
        calls, groups = program.calls, sum(hasattr(g, "nodes") for g in program.functions.groups)
        calls.steps = [self.host_steps[node] for node in program.on_host]
        arrays = tuple(tf.constant(a) for a in ahead)
        calls.start(first, groups)
        error, returned = None, None
        try:
            result = program.run(tf.constant(n), arrays, self.carried)
        except Exception as failure:
            if calls.error is None:
                raise
            # The steps before the one that failed are run once more, with what the host returned in them.
            error, returned = calls.error, calls.returned
            n = min(len(r) for r in returned)
            calls.start(first, groups, playback=returned)
            result = program.run(tf.constant(n), arrays, self.carried) if n else None
            del failure
        if result is not None:
            returned = calls.returned if returned is None else returned
            self.carried, before, recorded = result
            self.chunk, self.snapshot = Chunk(program, n, first, ahead, before, [r[n - 1] for r in returned]), {}
            self.n_steps += n
            sink(n, [(r, x.numpy()[sampled(first, n, r.period)]) for r, x in zip(program.recordings, recorded)])
        if error is not None:
            raise error

    def go_on(self, n_steps, values, share, carried, snapshot):
        """Go on from a state: the attributes of these names, and carried signals."""
        self.n_steps, self.values, self.share, self.snapshot, self.chunk = n_steps, values, share, snapshot, None
        self.program_for()
        with self.on_device():
            self.carried = pack(self.program, carried)

    def clock(self):
        """Number of steps and time in seconds, as the model's own signals have them."""
        if not any(node.key == "TimeUpdate" for node in self.graph.nodes):
            return self.model.step.initial_value.item(), self.model.time.initial_value.item()
        step = np.asarray(self.n_steps, self.model.step.dtype)
        return step.item(), np.asarray(step * self.model.dt, self.model.time.dtype).item()

    @staticmethod
    def rows(program, first, n):
        """Where the recordings that do not sample every step write: tuple of (capacity,) int32 tensors."""
        return tuple(
            tf.constant(sample_rows(first, n, program.capacity, r.period)) for r in program.recordings if r.period > 1
        )

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
        carried = self.carried_values()
        present = carried.get(base, self.values.get(base, base.initial_value))
        present = np.array(present)
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

    def _set_carried(self, base, present, carried):
        shared = any(base in c.signals and len(c.signals) > 1 for c in self.program.flat.carried)
        if shared:
            self.share = False
            self.program_for()
        with self.on_device():
            self.carried = pack(self.program, {**carried, base: present})
