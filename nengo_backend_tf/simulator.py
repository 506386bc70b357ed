"""A drop-in for nengo.Simulator. A thin shell: what runs is in ``engine``."""

import logging
import warnings

import numpy as np
from nengo.builder import Model
from nengo.cache import get_default_decoder_cache
from nengo.exceptions import ReadonlyError, SimulatorClosed, ValidationError
from nengo.utils.numpy import maxint
from nengo.utils.progress import Progress, ProgressBar, ProgressTracker
from nengo.utils.simulator import operator_dependency_graph

from .arguments import checked_data, checked_device, checked_dt, checked_positive, checked_steps
from .building import naming_built_objects
from .config import float_dtype, read_settings
from .data import SimulationData
from .pickling import get_state, set_state
from .recorder import Recorder

logger = logging.getLogger(__name__)


class Simulator:
    """Simulate a Nengo network with TensorFlow.

    Parameters
    ----------
    network : nengo.Network or None
        The network to build and simulate. None if a built ``model`` is given instead.
    dt : float, optional
        Length of a timestep in seconds; that of the ``model``, if one is given.
    seed : int, optional
        Seed of all stochastic operators; ``network.seed + 1`` by default, if the network has one.
    model : nengo.builder.Model, optional
        A model to build the network into, or one that is built already.
    progress_bar : bool or nengo.utils.progress.ProgressBar, optional
        As for nengo.Simulator.
    optimize : bool, optional
        Accepted for nengo's sake: the compiled program is the same either way.
    minibatch_size : int, optional
        Number of items that are simulated at once; probe data then has a leading axis of that size, even for 1.
    device : str, optional
        TensorFlow device, such as "/cpu:0" or "/gpu:0".
    unroll_simulation : int, optional
        Timesteps that one turn of the compiled loop computes: by default, as `configure_settings` says. It makes no
        difference to the results.

    Attributes
    ----------
    model : nengo.builder.Model
        The built model.
    data : SimulationData
        Probe data, and built parameters, by object.
    signals : LiveSignals
        Arrays of all signals. None after closing.
    closed : bool
        Whether the simulator has been closed.
    """

    def __init__(
        self, network, dt=0.001, seed=None, model=None, progress_bar=True, optimize=True, minibatch_size=None,
        device=None, unroll_simulation=None,
    ):
        self.closed = True  # in case anything below raises
        self.progress_bar, self.optimize, self.minibatch_size = progress_bar, optimize, minibatch_size
        checked_positive(minibatch_size, "minibatch_size", self, optional=True)
        checked_positive(unroll_simulation, "unroll_simulation", self, optional=True)
        self.unroll, self.device = unroll_simulation, device
        if model is None:
            dt = checked_dt(dt, self)
            model = Model(dt=dt, label=f"{network}, dt={dt:f}", decoder_cache=get_default_decoder_cache())
        self.model = model
        self._build(network)
        if seed is None:
            seeded = network is not None and network.seed is not None
            seed = network.seed + 1 if seeded else np.random.randint(maxint)
        self.closed = False
        self.reset(seed=seed)

    def _build(self, network):
        model, tracker = self.model, ProgressTracker(self.progress_bar, Progress("Building", "Build"))
        with tracker:
            if network is not None:
                with naming_built_objects():
                    model.build(network, progress=tracker.next_stage("Building", "Build"))
            else:
                warnings.warn("No network was given with the model, so that no parameter of it is trainable.")
            with tracker.next_stage("Building (making the graph)", "Graph"):
                self._settings = read_settings(model.toplevel)
                self.unroll = self._settings.unroll_simulation if self.unroll is None else self.unroll
                self._prepare()

    def _prepare(self):
        # Importing TensorFlow takes seconds: only who builds a Simulator pays for it.
        from . import tensorflow_setup  # noqa: F401
        from .engine import Engine
        from .program.compile import Options
        from .program.recording import Request
        from .signals import LiveSignals

        checked_device(self.device, self)
        model = self.model
        dtype = float_dtype(self._settings, self.minibatch_size)
        requests = tuple(
            Request(p, sig, sig.dtype, 1 if p.sample_every is None else p.sample_every / model.dt)
            for p in model.probes
            for sig in [model.sig[p]["in"]]
        )
        options = Options(dtype, self.minibatch_size, self.unroll, self._settings.xla, self._settings.host_loop, self._settings.stages)
        self._engine = Engine(model, requests, options, self.device)
        shapes = {
            r.key: (r.signal.shape, dtype if r.signal.dtype.kind == "f" else r.signal.dtype) for r in requests
        }
        self._recorder = Recorder(shapes, self.minibatch_size)
        self.data = SimulationData(model.params, self._recorder)
        self.signals = LiveSignals(self._engine)

    def __del__(self):
        """Raise a ResourceWarning if the simulator is deleted while open."""
        if not getattr(self, "closed", True):
            warnings.warn(
                f"Simulator with model={self.model} was deallocated while open. Please close simulators manually to ensure "
                "resources are properly freed.",
                ResourceWarning,
            )

    def __enter__(self):
        if self.closed:
            raise SimulatorClosed("Cannot re-open after simulator is closed")
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        self.close()

    def __getstate__(self):
        return get_state(self)

    def __setstate__(self, state):
        set_state(self, state)

    @property
    def dt(self):
        """(float) Length of a timestep in seconds."""
        return self.model.dt

    @dt.setter
    def dt(self, dummy):
        raise ReadonlyError(attr="dt", obj=self)

    @property
    def n_steps(self):
        """(int) Number of timesteps since the simulation began."""
        return self._n_steps

    @property
    def time(self):
        """(float) Simulated time in seconds."""
        return self._time

    @property
    def step_order(self):
        """(list) The operators, in the order in which nengo would run them."""
        return list(dict.fromkeys(node.op for node in self._running().graph.nodes))

    @property
    def dg(self):
        """(dict) Maps each operator to the operators that depend on it."""
        return operator_dependency_graph(self.model.operators)

    @property
    def plan(self):
        """(str) What is computed, in which groups, and where its values lie, for a person to read."""
        from .graph.format import format_program

        return format_program(self._running().program)

    def _running(self):
        if self.closed:
            raise SimulatorClosed("Simulator cannot be looked into because it is closed.")
        return self._engine

    def clear_probes(self):
        """Forget all probe data."""
        self._recorder.clear()

    def close(self):
        """Close the simulator: it can then no longer be run or reset. Probe data stays."""
        self.closed = True
        self.signals = None
        self._engine = None

    def reset(self, seed=None):
        """Go back to the state before the first step, and forget all probe data.

        Parameters
        ----------
        seed : int, optional
            A new seed of all stochastic operators. The built objects stay the same.
        """
        if self.closed:
            raise SimulatorClosed("Cannot reset closed Simulator.")
        if seed is not None:
            self.seed = seed
        self._engine.reset(self.seed)
        self.signals.refresh()
        self.clear_probes()
        self._read_clock()

    def _read_clock(self):
        clock = self._engine.clock()
        self._n_steps, self._time = clock

    def run(self, time_in_seconds, progress_bar=None, **kwargs):
        """Simulate for a length of time.

        Parameters
        ----------
        time_in_seconds : float
            Length of time, rounded to the nearest ``dt``. Must be positive.
        progress_bar : bool or ProgressBar, optional
            By default that of the simulator.
        kwargs
            As for `run_steps`.
        """
        if time_in_seconds < 0:
            raise ValidationError(f"Must be positive (got {time_in_seconds:g})", attr="time_in_seconds")
        steps = int(np.round(float(time_in_seconds) / self.dt))
        if steps == 0:
            warnings.warn(
                f"{time_in_seconds} results in running for 0 timesteps. Simulator still at time {self.time}."
            )
        else:
            logger.info("Running %s for %f seconds, or %d steps", self.model.label, time_in_seconds, steps)
            self.run_steps(steps, progress_bar=progress_bar, **kwargs)

    def run_steps(self, steps, data=None, progress_bar=None):
        """Simulate for a number of timesteps.

        Parameters
        ----------
        steps : int
            Number of timesteps.
        data : dict, optional
            Node -> (B, T, D) array of what the Node puts out instead of what it would: B items of the minibatch (1, or no
            such axis, without a minibatch), T = ``steps`` timesteps, D = ``node.size_out``.
        progress_bar : bool or ProgressBar, optional
            By default that of the simulator.
        """
        if self.closed:
            raise SimulatorClosed("Simulator cannot run because it is closed.")
        if isinstance(data, (bool, ProgressBar)):
            data, progress_bar = None, data  # nengo's second argument
        steps, progress_bar = checked_steps(steps), self.progress_bar if progress_bar is None else progress_bar
        fed = checked_data(self.model, data, steps, self.minibatch_size)
        with ProgressTracker(progress_bar, Progress("Simulating", "Simulation", steps)) as tracker:
            if type(self).step is not Simulator.step and not fed:
                for _ in range(steps):
                    self.step()
                    tracker.total_progress.step()
            else:
                self._run(steps, fed, tracker.total_progress)

    def step(self):
        """Advance the simulation by one timestep."""
        if self.closed:
            raise SimulatorClosed("Simulator cannot run because it is closed.")
        self._run(1, {}, None)

    def _run(self, steps, fed, progress):
        def sink(n, recorded):
            for request, samples in recorded:
                self._recorder.add(request.key, samples)
            self._read_clock()
            if progress is not None:
                progress.step(n)

        self.signals.take_back()
        try:
            self._engine.run(steps, fed, sink)
        finally:
            self.signals.refresh()

    def trange(self, dt=None, sample_every=None):
        """Times of the steps that were simulated, beginning at ``dt``: (T,) ndarray in seconds.

        Parameters
        ----------
        dt : float, optional
            Deprecated name of ``sample_every``.
        sample_every : float, optional
            Sampling period of a probe, whose times are wanted.
        """
        if dt is not None:
            if sample_every is not None:
                raise ValidationError(
                    "Cannot specify both `dt` and `sample_every`. Use `sample_every` only.", attr="dt", obj=self
                )
            warnings.warn("`dt` is deprecated. Use `sample_every` instead.", DeprecationWarning)
            sample_every = dt
        period = 1 if sample_every is None else sample_every / self.dt
        steps = np.arange(1, self.n_steps + 1)
        return self.dt * steps[steps % period < 1]
