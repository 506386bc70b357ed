"""Merge kernels that are computed alike into groups, in an order in which they may run."""

from collections import defaultdict
from typing import NamedTuple


class Group(NamedTuple):
    """Kernels that one call of a step computes together.

    Attributes
    ----------
    kernels : tuple of Kernel
        Members, with equal keys.
    where : {"device", "host"}
    stage : int
        Which of the stages it belongs to.
    sweeps : bool
        Whether that stage is a sweep.
    """

    kernels: tuple
    where: str
    stage: int = 0
    sweeps: bool = False

    @property
    def node(self):
        return self.kernels[0].node


def dependencies(kernels):
    """For each kernel, the set of earlier kernels whose values it reads.

    Parameters
    ----------
    kernels : tuple of Kernel

    Returns
    -------
    list of set of int
    """
    owner = {v: i for i, kernel in enumerate(kernels) for output in kernel.outputs for v in output}
    return [{owner[v] for a in kernel.inputs for v in a.values() if v in owner} for kernel in kernels]


def plan(kernels):
    """Group kernels, preferring keys none of whose kernels is still blocked, then those on the longest path.

    Host kernels keep the order in which nengo would call them, and run as late as they may, so that as many as
    possible share one call.

    Parameters
    ----------
    kernels : tuple of Kernel
        In an order in which they may run.

    Returns
    -------
    tuple of Group
    """
    state = _Ready(kernels)
    groups = []
    while state.left:
        members = state.next_device() or state.next_host()
        state.finish(members)
        groups.append(Group(tuple(kernels[i] for i in members), kernels[members[0]].node.where))
    return tuple(groups)


def plan_stages(stages):
    """The groups of all stages, in order.

    Parameters
    ----------
    stages : tuple of Stage

    Returns
    -------
    tuple of Group
    """
    return tuple(
        group._replace(stage=i, sweeps=stage.kind == "sweep") for i, stage in enumerate(stages) for group in plan(stage.kernels)
    )


class _Ready:
    """Which kernels may run next."""

    def __init__(self, kernels):
        self.keys = [k.key for k in kernels]
        needs = dependencies(kernels)
        self.waits = [len(n) for n in needs]
        self.followers = defaultdict(list)
        for i, n in enumerate(needs):
            for j in n:
                self.followers[j].append(i)
        self.height = [0] * len(kernels)
        for i in reversed(range(len(kernels))):
            self.height[i] = 1 + max((self.height[j] for j in self.followers[i]), default=0)
        self.host = [i for i, k in enumerate(kernels) if k.node.where == "host"]
        self.on_host = set(self.host)
        self.left = len(kernels)
        self.unscheduled = defaultdict(int)
        self.ready = defaultdict(list)
        for i, key in enumerate(self.keys):
            if i not in self.on_host:
                self.unscheduled[key] += 1
                if self.waits[i] == 0:
                    self.ready[key].append(i)

    def next_device(self):
        keys = [key for key, members in self.ready.items() if members]
        if not keys:
            return None
        complete = [key for key in keys if len(self.ready[key]) == self.unscheduled[key]]
        chosen = max(complete or keys, key=lambda key: max(self.height[i] for i in self.ready[key]))
        members = self.ready.pop(chosen)
        self.unscheduled[chosen] -= len(members)
        return members

    def next_host(self):
        members = []
        for i in self.host:
            if self.waits[i]:
                break
            members.append(i)
        self.host = self.host[len(members):]
        return members

    def finish(self, members):
        self.left -= len(members)
        for i in members:
            for j in self.followers[i]:
                self.waits[j] -= 1
                if self.waits[j] == 0 and j not in self.on_host:
                    self.ready[self.keys[j]].append(j)
