"""What nengo-gui does with a simulator: it changes the network while it builds, and steps in a thread of its own."""

import queue
import sys
import threading
import time
from collections import deque

import nengo
import numpy as np
import pytest
from nengo.utils.progress import ProgressBar

import nengo_backend_tf

WAIT = 120


class Slider(nengo.Process):
    """Takes the place of a Node's output while the user holds the slider; otherwise it is that output."""

    def __init__(self, base, held):
        super().__init__()
        self.base, self.held = base, held

    def make_step(self, shape_in, shape_out, dt, rng, state):
        base = self.base
        if isinstance(base, nengo.Process):
            base = base.make_step(shape_in, shape_out, dt, rng, base.make_state(shape_in, shape_out, dt))
        value = np.zeros(shape_out)

        def step(t, *x):
            value[:] = base(t, *x) if callable(base) else base
            value[~np.isnan(self.held)] = self.held[~np.isnan(self.held)]
            return value

        return step


class Control:
    """A Node's function that blocks the simulation, within a step, while the user has it paused."""

    def __init__(self):
        self.waiting, self.paused = threading.Event(), threading.Event()
        self.times = []

    def __call__(self, t):
        self.waiting.set()
        while self.paused.is_set():
            time.sleep(0.001)
        self.times.append(t)


class Bar(ProgressBar):
    """Keeps what it was told."""

    def __init__(self):
        self.seen = []

    def update(self, progress):
        self.seen.append((progress.name_during, progress.finished))


def user_model():
    """Three inputs that sliders may hold, and two populations."""
    with nengo.Network() as model:
        model.inputs = [
            nengo.Node([0.5]), nengo.Node(lambda t: np.sin(20 * t)), nengo.Node(nengo.processes.WhiteSignal(1, high=5, seed=1)),
        ]
        model.a, model.b = nengo.Ensemble(30, 1), nengo.Ensemble(20, 1)
        for node in model.inputs:
            nengo.Connection(node, model.a)
        nengo.Connection(model.a, model.b)
    return model


class Display:
    """Builds a model with what is displayed added to it, and takes that out again."""

    def __init__(self, model, simulator):
        self.control, self.bar = Control(), Bar()
        self.values, self.spikes = [], deque()
        self.held = [np.full(1, np.nan) for _ in model.inputs]
        outputs = [node.output for node in model.inputs]
        seeded = [model, *model.all_ensembles, *model.all_nodes, *model.all_connections]
        for i, obj in enumerate(seeded):
            obj.seed = i
        for node, held in zip(model.inputs, self.held):
            node.output = Slider(node.output, held)
        with model:
            nengo.Node(self.control, size_out=0)
            value, raster = (nengo.Node(f, size_in=n) for f, n in ((self.gather, 1), (self.gather_spikes, 30)))
            value_of = nengo.Connection(model.b, value, synapse=0.01)
            spikes_of = nengo.Connection(model.a.neurons, raster, synapse=None)
            self.voltage = nengo.Probe(model.a.neurons[:5], "voltage")
        self.values.clear(), self.spikes.clear(), self.control.times.clear()  # nengo had called them for their sizes
        self.control.waiting.clear()
        self.sim = simulator(model, progress_bar=self.bar)
        for obj in seeded:
            obj.seed = None
        for node, output in zip(model.inputs, outputs):
            node.output = output
        del model.nodes[-3:], model.probes[-1:]
        model.connections.remove(value_of), model.connections.remove(spikes_of)

    def gather(self, t, x):
        self.values.append((t, *x))

    def gather_spikes(self, t, x):
        self.spikes.append(np.nonzero(x)[0])

    def run(self, begin, done):
        """The thread that steps: as many steps as ``begin`` is released, then ``done``; nothing more after None."""
        while (steps := begin.get(timeout=WAIT)) is not None:
            for _ in range(steps):
                self.sim.step()
            done.release()

    def take_voltages(self):
        """What the probe recorded since the last call, which the simulator need not keep."""
        voltages = self.sim.data.raw[self.voltage][:]
        del self.sim.data.raw[self.voltage][:]
        assert len(self.sim.trange()[-len(voltages):]) == len(voltages) or not voltages
        return voltages


def session(simulator):
    """A user runs a model, pauses, goes on, and moves sliders between the steps."""
    display, begin, done = Display(user_model(), simulator), queue.Queue(), threading.Semaphore(0)
    thread = threading.Thread(target=display.run, args=(begin, done), daemon=True)
    thread.start()
    display.control.paused.set()
    begin.put(7)
    assert display.control.waiting.wait(WAIT)
    assert display.sim.n_steps == 0 and display.take_voltages() == [] and display.values == []
    display.control.paused.clear()
    assert done.acquire(timeout=WAIT)
    voltages = display.take_voltages()
    for held, value in ((0, -1.0), (1, 0.25), (2, 0.75), (0, np.nan)):
        display.held[held][:] = value
        begin.put(5)
        assert done.acquire(timeout=WAIT)
        voltages += display.take_voltages()
    begin.put(None)
    thread.join(WAIT)
    display.sim.close()
    return display, np.array(voltages)


@pytest.mark.filterwarnings("error::nengo_backend_tf.ops.HostFallbackWarning")
def test_session():
    (ours, voltages), (theirs, expected) = (session(s) for s in (nengo_backend_tf.Simulator, nengo.Simulator))
    assert ours.control.times == theirs.control.times and len(voltages) == len(ours.values) == 27
    np.testing.assert_allclose(voltages, expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(ours.values, theirs.values, rtol=1e-9, atol=1e-12)
    assert all(np.array_equal(a, b) for a, b in zip(ours.spikes, theirs.spikes)) and any(map(len, ours.spikes))
    assert ours.bar.seen[-1] == theirs.bar.seen[-1] == ("Building", True)


MODEL = """
import nengo
model = nengo.Network(seed=1)
with model:
    stimulus = nengo.Node([0.5])
    a = nengo.Ensemble(30, 1)
    nengo.Connection(stimulus, a)
"""

LAYOUT = """
_viz_0 = nengo_gui.components.Slider(stimulus)
_viz_1 = nengo_gui.components.Value(a)
_viz_2 = nengo_gui.components.Raster(a)
_viz_3 = nengo_gui.components.Voltage(a)
_viz_4 = nengo_gui.components.SpikeGrid(a)
"""


class Client:
    """The browser's end."""

    def __init__(self):
        self.received = []

    def write_text(self, x):
        self.received.append(x)

    write_binary = write_frame = write_text


@pytest.mark.filterwarnings("ignore")  # nengo-gui's own
def test_page(tmp_path, monkeypatch):
    """A page of nengo-gui itself, without the server in front of it."""
    pytest.importorskip("nengo_gui")
    from nengo_gui.gui import BaseGUI
    from nengo_gui.guibackend import GuiServerSettings, ModelContext
    from nengo_gui.page import PageSettings

    monkeypatch.setattr(sys, "stdout", sys.stdout)  # nengo-gui puts another one there
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "model.py.cfg").write_text(LAYOUT)
    settings = GuiServerSettings(("localhost", 0)), PageSettings(backend="nengo_backend_tf")
    gui = BaseGUI(ModelContext(filename="model.py"), *settings)
    page = gui.server.create_page(None)
    clients = {component: Client() for component in page.components}

    def wait_for(condition):
        deadline = time.monotonic() + WAIT
        while not condition() and time.monotonic() < deadline:
            assert page.error is None, page.error
            for component, client in clients.items():
                component.update_client(client)
            time.sleep(0.01)
        assert condition()

    try:
        page.components[0].message("continue")
        wait_for(lambda: page.sim is not None and page.sim.n_steps > 20)
        assert type(page.sim) is nengo_backend_tf.Simulator
        (slider,) = (c for c in page.components if type(c).__name__ == "Slider")
        slider.message("0,-1")
        wait_for(lambda: page.sim.n_steps > 40)
        displays = [c for c in page.components if type(c).__name__ in ("Value", "Raster", "Voltage", "SpikeGrid")]
        assert len(displays) == 4 and all(clients[c].received for c in displays)
        first = page.sim
        page.components[0].message("reset")
        page.components[0].message("continue")
        wait_for(lambda: first.closed and page.sim is not None and page.sim.n_steps > 5)
        assert len(page.model.nodes) == 1 and not page.model.probes
    finally:
        page.finished = True
        for binding in gui.server.bindings:
            binding.socket.close()
