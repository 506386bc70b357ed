"""A neural integrator: 200 spiking neurons hold the integral of their input.

Usage: ``python examples/integrator.py [picture]``

It prints the decoded value beside the true integral, and draws both in a picture
(``integrator.png`` unless another name is given).
"""

import sys

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402
import nengo  # noqa: E402
import numpy as np  # noqa: E402

import nengo_backend_tf  # noqa: E402

TAU = 0.1  # time constant of the recurrent synapse (seconds)


def velocity(t):
    """Return the integrator's input: pulses up, down and up again, with rests between."""
    return np.select([t < 0.5, t < 1.5, t < 2.5, t < 3.5], [0.0, 0.6, 0.0, -0.9], 0.3)


def make_network():
    """Return the network and its two probes: the input and the decoded integral."""
    with nengo.Network(label="integrator", seed=1) as net:
        stimulus = nengo.Node(velocity)
        integrator = nengo.Ensemble(200, dimensions=1)
        nengo.Connection(stimulus, integrator, transform=TAU, synapse=TAU)
        nengo.Connection(integrator, integrator, synapse=TAU)
        given = nengo.Probe(stimulus)
        decoded = nengo.Probe(integrator, synapse=0.02)
    return net, given, decoded


def print_table(times, decoded, target):
    """Print one row for each half second."""
    print(f"{'time (s)':>8} {'decoded':>8} {'target':>8} {'error':>8}")
    every = round(0.5 / (times[1] - times[0]))
    for row in range(every - 1, len(times), every):
        error = decoded[row] - target[row]
        print(
            f"{times[row]:8.1f} {decoded[row]:8.3f} {target[row]:8.3f} {error:8.3f}"
        )
    rmse = np.sqrt(np.mean((decoded - target) ** 2))
    print(f"root mean square error {rmse:.3f}")


def draw(picture, times, given, decoded, target):
    """Write a picture of the input, the decoded value and the target over time."""
    figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
    axes.plot(times, given, color="0.75", label="input")
    axes.plot(times, decoded, label="decoded from the spikes")
    axes.plot(times, target, "k--", label="true integral")
    axes.set(xlabel="time (s)", title="A neural integrator on nengo_backend_tf")
    axes.legend()
    figure.savefig(picture, dpi=100)


def main(picture="integrator.png"):
    """Simulate five seconds, print the table and write the picture."""
    net, given, decoded = make_network()
    with nengo_backend_tf.Simulator(net) as sim:
        sim.run(5.0)
        times = sim.trange()
        values = sim.data[given][:, 0]
        integral = sim.data[decoded][:, 0]
    target = np.cumsum(values) * sim.dt
    print_table(times, integral, target)
    draw(picture, times, values, integral, target)
    print(f"picture in {picture}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
