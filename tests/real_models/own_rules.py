"""Learning rules as users write them: their own types, build functions and operators."""

import nengo
import numpy as np
from nengo.builder import Builder, Operator, Signal
from nengo.builder.learning_rules import SimBCM, get_post_ens
from nengo.builder.operator import Reset
from nengo.params import NumberParam


class Decay(nengo.learning_rules.LearningRuleType):
    """Weights shrink. The operator says by how much, in the delta that Nengo adds to them."""

    modifies = "weights"
    probeable = ("delta",)

    def __init__(self, learning_rate=1e-2):
        super().__init__(learning_rate, size_in=0)


class DecayOfDecoders(Decay):
    """The same for connections with decoders, through the same build function."""

    modifies = "decoders"


class SimDecay(Operator):
    def __init__(self, weights, delta, learning_rate, tag=None):
        super().__init__(tag=tag)
        self.learning_rate = learning_rate
        self.sets, self.incs, self.reads, self.updates = [], [], [weights], [delta]

    def make_step(self, signals, dt, rng):
        weights, delta = signals[self.reads[0]], signals[self.updates[0]]

        def step():
            delta[...] = -self.learning_rate * weights

        return step


@Builder.register(Decay)
def build_decay(model, decay, rule):
    model.add_op(SimDecay(model.sig[rule.connection]["weights"], model.sig[rule]["delta"], decay.learning_rate))


class Imprint(nengo.learning_rules.LearningRuleType):
    """Decoders are written as a whole, after an error and the filtered activity; an attribute of the operator counts."""

    modifies = "decoders"
    probeable = ("error",)

    def __init__(self, learning_rate=1e-3):
        super().__init__(learning_rate, size_in="post_state")


class SimImprint(Operator):
    def __init__(self, activity, error, weights, learning_rate, tag=None):
        super().__init__(tag=tag)
        self.learning_rate, self.count = learning_rate, 0
        self.sets, self.incs, self.reads, self.updates = [], [], [activity, error], [weights]

    def make_step(self, signals, dt, rng):
        activity, error = (signals[s] for s in self.reads)
        weights = signals[self.updates[0]]
        self.count = 0  # a step function of nengo's own optimizer may be made twice

        def step():
            self.count += 1
            if self.count % 3 == 0:
                weights[...] -= self.learning_rate * np.outer(error, activity)

        return step


@Builder.register(Imprint)
def build_imprint(model, imprint, rule):
    connection = rule.connection
    error = Signal(shape=rule.size_in, name=f"{rule}:error")
    model.add_op(Reset(error))
    model.sig[rule]["in"] = model.sig[rule]["error"] = error
    activity = model.build(nengo.Lowpass(0.005), model.sig[connection.pre_obj.neurons]["out"])
    model.add_op(SimImprint(activity, error, model.sig[connection]["weights"], imprint.learning_rate))


class Jitter(nengo.learning_rules.LearningRuleType):
    """Encoders are jittered by random numbers, of the simulator's own stream."""

    modifies = "encoders"
    probeable = ("scaled_encoders", "delta")

    def __init__(self, learning_rate=0.1):
        super().__init__(learning_rate, size_in=0)


class SimJitter(Operator):
    def __init__(self, delta, scale, tag=None):
        super().__init__(tag=tag)
        self.scale = scale
        self.sets, self.incs, self.reads, self.updates = [], [], [], [delta]

    def make_step(self, signals, dt, rng):
        delta = signals[self.updates[0]]
        stream = np.random.RandomState(rng.randint(2**31))

        def step():
            delta[...] = self.scale * stream.normal(size=delta.shape)

        return step


@Builder.register(Jitter)
def build_jitter(model, jitter, rule):
    model.sig[rule]["scaled_encoders"] = model.sig[get_post_ens(rule.connection)]["encoders"]
    model.add_op(SimJitter(model.sig[rule]["delta"], jitter.learning_rate))


class NegativeBCM(nengo.BCM):
    """Nengo's own rule and operator, with a rate below zero."""

    learning_rate = NumberParam("learning_rate", readonly=True)


class ClippedBCM(nengo.BCM):
    """Nengo's own parameters, with an operator that is derived from Nengo's and does more."""


class SimClippedBCM(SimBCM):
    def make_step(self, signals, dt, rng):
        inherited = super().make_step(signals, dt, rng)
        delta = signals[self.delta]

        def step():
            inherited()
            np.clip(delta, -1e-9, 1e-9, out=delta)

        return step


@Builder.register(ClippedBCM)
def build_clipped_bcm(model, bcm, rule):
    connection = rule.connection
    pre = model.build(bcm.pre_synapse, model.sig[connection.pre_obj.neurons]["out"])
    post = model.build(bcm.post_synapse, model.sig[get_post_ens(connection).neurons]["out"])
    theta = model.build(bcm.theta_synapse, model.sig[get_post_ens(connection).neurons]["out"])
    model.add_op(SimClippedBCM(pre, post, theta, model.sig[rule]["delta"], bcm.learning_rate))
    model.sig[rule].update(theta=theta, pre_filtered=pre, post_filtered=post)


class ScaledPES(nengo.PES):
    """A parameter of its own, which Nengo's build function does not know: it is built as PES."""

    scale = NumberParam("scale", default=2.0, readonly=True)
