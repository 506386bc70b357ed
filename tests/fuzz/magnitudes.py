"""How large the terms are that are summed into each signal: what rounding errors are to be measured by.

A sum of large terms that cancel has an error of the terms' rounding, not of its own. So the operators of a timestep are run
once more on magnitudes: products and sums of absolute values, through nengo's own step functions where those only multiply
and add.
"""

import numpy as np
from nengo.builder import learning_rules as rules
from nengo.builder.neurons import SimNeurons
from nengo.builder.operator import BsrDotInc, Copy, DotInc, ElementwiseInc, Reset, SimPyFunc, SparseDotInc, TimeUpdate
from nengo.builder.processes import SimProcess
from nengo.builder.signal import SignalDict
from nengo.builder.transforms import ConvInc, ConvTransposeInc
from nengo.synapses import LinearFilter

#: What a difference is relative to, within one step of equal states.
PRECISION = 1e-12

#: Operators that only multiply, add and copy.
LINEAR = (Copy, DotInc, ElementwiseInc, SparseDotInc, BsrDotInc, ConvInc, ConvTransposeInc)


def magnitudes(sim, before):
    """The largest magnitudes that the last step summed up in each signal.

    Parameters
    ----------
    sim : nengo.Simulator
        After the step.
    before : dict
        Base signal -> ndarray, the values before it.

    Returns
    -------
    SignalDict
        Base signal -> ndarray of its shape.
    """
    sizes = SignalDict()
    for base, value in before.items():
        dict.__setitem__(sizes, base, np.array(np.abs(value), float))
    for op in sim.step_order:
        for signal in op.all_signals:
            if signal.base.sparse:
                dict.__setitem__(sizes, signal.base, abs(sim.signals[signal.base]))
            sizes[signal]  # makes the view
    for op in sim.step_order:
        with np.errstate(all="ignore"):
            _RULES.get(type(op), _linear if type(op) in LINEAR else _unknown)(op, sim, sizes, before)
    for base in before:
        np.maximum(sizes[base], np.abs(sim.signals[base]), out=sizes[base])
    return sizes


def _linear(op, sim, sizes, before):
    op.make_step(sizes, sim.dt, None)()


def _known(op, sim, sizes, before):
    """Exact values."""
    for signal in (*op.sets, *op.updates):
        sizes[signal][...] = np.abs(sim.signals[signal])


def _unknown(op, sim, sizes, before):
    """As large as everything that is read."""
    read = max((sizes[s].max(initial=0) for s in op.reads if not s.sparse), default=0)
    for signal in (*op.sets, *op.incs, *op.updates):
        sizes[signal][...] = np.abs(sim.signals[signal]) + read


def _function(op, sim, sizes, before):
    """The functions of `draw.functions` change by no more than a few times a power of the input."""
    if op.output is not None:
        size = 0 if op.x is None else sizes[op.x].max(initial=0)
        sizes[op.output][...] = np.abs(sim.signals[op.output]) + 3 * size * (1 + size) ** 3


def _neurons(op, sim, sizes, before):
    """By how much output and state change with the current; not across a threshold, where a tie must be the same."""
    signals = (op.output, *op.state.values())
    for signal in signals:
        sizes[signal][...] = np.abs(sim.signals[signal])
    if op.state_extra:
        return
    J, change = sim.signals[op.J], PRECISION * sizes[op.J]
    runs = [_perturbed(op, sim.dt, J + sign * change, before) for sign in (-1, 0, 1)]
    firing = [run[0] if op.neurons.spiking else run[0] > 0 for run in runs]
    same = (firing[0] == firing[1]) & (firing[1] == firing[2])
    for signal, low, high in zip(signals, runs[0], runs[2]):
        sizes[signal][...] += np.where(same, np.abs(high - low), 0) / PRECISION


def _perturbed(op, dt, J, before):
    """Output and state of another current."""
    output = np.zeros(op.output.shape)
    state = {name: _view(before[signal.base], signal).copy() for name, signal in op.state.items()}
    op.neurons.step(dt, J, output, **state)
    return output, *state.values()


def _view(array, signal):
    return array if signal.base is signal else np.ndarray(
        signal.shape, array.dtype, array, signal.offset, signal.strides
    )


def _process(op, sim, sizes, before):
    """Filters by the magnitudes of their matrices; what gets no input is exact."""
    if op.input is None:
        output = np.abs(sim.signals[op.output])
    elif isinstance(op.process, LinearFilter):
        output = _filtered(op.process, sizes[op.input].reshape(-1), sizes[op.state["X"]], sim.dt)
    else:
        u = sizes[op.input].max(initial=0)
        kept = max((sizes[s].max(initial=0) for name, s in op.state.items() if name != "Xi"), default=0)
        output = np.full(op.output.size, u + kept)
        for signal in op.state.values():
            sizes[signal][...] = np.maximum(sizes[signal], u)
    output = output.reshape(op.output.shape)
    sizes[op.output][...] = sizes[op.output] + output if op.mode == "inc" else output


def _filtered(synapse, u, x, dt):
    """The magnitudes of a filter's output; those of its state ``x`` are changed."""
    A, B, C, D = map(np.abs, synapse._get_ss(dt))
    if not len(A):
        return D.item() * u
    before = x.reshape(len(A), -1).copy()
    after = A @ before + B.reshape(-1, 1) * u
    x[...] = after.reshape(x.shape)
    return (C @ (before + after))[0] + D.item() * u


def _pes(op, sim, sizes, before):
    _linear(op, sim, sizes, before)
    np.abs(sizes[op.delta], out=sizes[op.delta])


def _bcm(op, sim, sizes, before):
    post = sizes[op.post_filtered]
    change = op.learning_rate * sim.dt * post * (post + sizes[op.theta])
    sizes[op.delta][...] = np.outer(change, sizes[op.pre_filtered])


def _oja(op, sim, sizes, before):
    alpha, post = op.learning_rate * sim.dt, sizes[op.post_filtered]
    forgotten = op.beta * sizes[op.weights] * (alpha * post * post)[:, None]
    sizes[op.delta][...] = np.outer(alpha * post, sizes[op.pre_filtered]) + forgotten


def _voja(op, sim, sizes, before):
    post = sizes[op.post_filtered]
    change = op.scale[:, None] * np.outer(post, sizes[op.pre_decoded]) + post[:, None] * sizes[op.scaled_encoders]
    sizes[op.delta][...] = op.learning_rate * sim.dt * sizes[op.learning_signal] * change


def _rls(op, sim, sizes, before):
    gain = sizes[op.inv_gamma] @ sizes[op.pre_filtered]
    sizes[op.delta][...] = np.outer(sizes[op.error], gain)
    sizes[op.inv_gamma][...] += np.outer(gain, gain)


_RULES = {
    Reset: _known, TimeUpdate: _known, SimPyFunc: _function, SimNeurons: _neurons, SimProcess: _process,
    rules.SimPES: _pes, rules.SimBCM: _bcm, rules.SimOja: _oja, rules.SimVoja: _voja, rules.SimRLS: _rls,
}
