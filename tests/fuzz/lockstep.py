"""One step at a time from equal states: whatever differs afterwards comes from that step alone."""

from nengo.exceptions import SimulationError

from .compare import compare_array, ran_away
from .magnitudes import PRECISION, magnitudes
from .reference import base_signals, compiled, quiet, reference, written_signals

STEPS = 6

#: How the steps are run: on the host where they are few and small (as `Simulator.step` does), by TensorFlow, and by XLA.
SETTINGS = (dict(), dict(host_loop="tensorflow", xla=False), dict(host_loop="tensorflow"))


def lockstep(drawn):
    """Compare single steps, the reference's state being copied in before each.

    Parameters
    ----------
    drawn : Drawn

    Returns
    -------
    list of Difference
    """
    settings = SETTINGS[(0, 0, 1, 1, 2)[drawn.choices % 5]]
    with quiet(), reference(drawn) as ref, compiled(drawn, settings) as sim:
        pairs = list(zip(base_signals(ref.model), base_signals(sim.model)))
        live = {s: sim.signals[s] for s in written_signals(sim.model)}
        for step in range(STEPS):
            before = {r: ref.signals[r].copy() for r, _ in pairs}
            for r, s in pairs:
                if s in live and live[s].flags.writeable:
                    live[s][...] = before[r]
            try:
                ref.step()
            except (ArithmeticError, ValueError, SimulationError):
                return []  # has run away
            sim.step()
            if ran_away([ref.signals[r] for r, _ in pairs]):
                return []
            sizes = magnitudes(ref, before)
            found = []
            for r, s in pairs:
                found += compare_array(f"lockstep {settings}, step {step + 1}", r.name, sim.signals[s], ref.signals[r],
                                       PRECISION * sizes[r])
            if found:
                return found
    return []
