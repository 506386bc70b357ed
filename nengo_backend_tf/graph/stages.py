"""Split the steps into stages: what is recurrent runs step by step, the rest for all timesteps of a chunk at once.

Draw an edge from whatever computes a value to whatever reads it, and from what a carried value becomes to the carried
value: its readers read it one step later. The strongly connected components of this graph are what is truly recurrent:
neurons with their state, filters, loops of a network. They run in *loops*, step by step. Everything else may run in
*sweeps*: a matrix product of all timesteps of a chunk at once is one large product.

Which of them do is a matter of cost. A sweep's results are written to memory for all timesteps, while a loop keeps
those of one step in the cache: a small network is fastest as one loop.
"""

from collections import defaultdict
from typing import NamedTuple

from nengo.exceptions import BuildError

#: A sweep is worth its memory for products of at least so many multiply-adds a step and element that it reads or writes.
INTENSITY = 64
#: ... and of at least so many multiply-adds a step.
MULTIPLY_ADDS = 50_000
#: A minibatch of so many items makes large products of those within a step.
MANY_ITEMS = 32


class Stage(NamedTuple):
    """Part of a FlatGraph.

    Attributes
    ----------
    kind : {"loop", "sweep"}
    kernels : tuple of Kernel
        In an order in which they may run.
    carried : tuple of Carried
        What becomes of these is known in this stage; a sweep reads none of them.
    """

    kind: str
    kernels: tuple
    carried: tuple


def split_stages(flat, batch=None, mode="auto"):
    """The stages of a graph, in order.

    Parameters
    ----------
    flat : FlatGraph
    batch : int or None
        Size of the minibatch.
    mode : {"auto", "all", "one"}
        "auto": sweeps where they pay. "all": every product and every other kernel that can. "one": one loop.

    Returns
    -------
    tuple of Stage
    """
    components = Components(flat)
    if mode == "one" or not flat.kernels or any(k.node.where == "host" for k in flat.kernels):
        return (Stage("loop", flat.kernels, flat.carried),)
    heavy = components.free if mode == "all" else worth_a_sweep(flat, components, 1 if batch is None else batch)
    if not heavy and components.recurrent:
        return (Stage("loop", flat.kernels, flat.carried),)
    return _by_level(flat, components, _levels(components, heavy))


def check_stages(flat, stages):
    """Raise a BuildError unless the stages are the whole graph, in an order in which it may run.

    Parameters
    ----------
    flat : FlatGraph
    stages : tuple of Stage

    Returns
    -------
    tuple of Stage
        The same.
    """
    kernels = [k for stage in stages for k in stage.kernels]
    carried = [c.value for stage in stages for c in stage.carried]
    if len(kernels) != len(flat.kernels) or set(kernels) != set(flat.kernels):
        raise BuildError("The stages do not have every kernel of the graph once.")
    if sorted(carried) != sorted(c.value for c in flat.carried):
        raise BuildError("The stages do not have every carried value of the graph once.")
    known = {v for _, values in flat.ahead for v in values}
    for i, stage in enumerate(stages):
        own = {c.value for c in stage.carried}
        if stage.kind == "loop":
            known |= own
        for kernel in stage.kernels:
            late = set().union(*(a.values() for a in kernel.inputs)) - known
            if late:
                raise BuildError(f"{kernel.node.label} in stage {i}, a {stage.kind}, reads values {sorted(late)} of later ones.")
            known.update(v for output in kernel.outputs for v in output)
        known |= own
        late = set().union(*(c.after.values() for c in stage.carried)) - known
        if late:
            raise BuildError(f"What stage {i} carries reads values {sorted(late)} of later ones.")
    return stages


class Components:
    """Strongly connected components of kernels and carried values, in an order in which they may run.

    Attributes
    ----------
    members : list of list of int
        A kernel is its position; a carried value comes after all kernels.
    before : list of set of int
        For each component, the earlier ones that it reads.
    recurrent : set of int
        Components that depend on themselves.
    free : set of int
        Components that are one kernel that does not.
    delays : set of int
        Components that are one carried value that does not.
    """

    def __init__(self, flat):
        n = len(flat.kernels)
        owner = {v: i for i, k in enumerate(flat.kernels) for output in k.outputs for v in output}
        owner.update({c.value: n + j for j, c in enumerate(flat.carried)})
        reads = [{owner[v] for a in k.inputs for v in a.values() if v in owner} for k in flat.kernels]
        reads += [{owner[v] for v in c.after.values() if v in owner} for c in flat.carried]
        self.members = strongly_connected(reads)
        where = {i: c for c, members in enumerate(self.members) for i in members}
        self.before = [{where[j] for i in members for j in reads[i]} - {c} for c, members in enumerate(self.members)]
        self.recurrent = {
            c for c, members in enumerate(self.members) if len(members) > 1 or members[0] in reads[members[0]]
        }
        self.free = {c for c, members in enumerate(self.members) if c not in self.recurrent and members[0] < n}
        self.delays = {c for c, members in enumerate(self.members) if c not in self.recurrent and members[0] >= n}


def strongly_connected(successors):
    """Tarjan's algorithm, without recursion: components in an order in which each comes after those it leads to.

    Parameters
    ----------
    successors : list of set of int

    Returns
    -------
    list of list of int
    """
    index, low, on_stack, stack, found = {}, {}, set(), [], []
    for root in range(len(successors)):
        if root in index:
            continue
        work = [(root, iter(sorted(successors[root])))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, rest = work[-1]
            child = next((c for c in rest if c not in index or c in on_stack), None)
            if child is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    found.append(_pop_component(node, stack, on_stack))
            elif child in index:
                low[node] = min(low[node], index[child])
            else:
                index[child] = low[child] = len(index)
                stack.append(child)
                on_stack.add(child)
                work.append((child, iter(sorted(successors[child]))))
    return found


def _pop_component(node, stack, on_stack):
    component = []
    while not component or component[-1] != node:
        component.append(stack.pop())
        on_stack.discard(component[-1])
    return sorted(component)


def worth_a_sweep(flat, components, items):
    """Components that are cheaper for all timesteps at once: large products, together with those of their group."""
    groups = defaultdict(list)
    for c in components.free if items < MANY_ITEMS else ():
        kernel = flat.kernels[components.members[c][0]]
        if multiply_adds(kernel):
            groups[kernel.key].append(c)
    worth = set()
    for members in groups.values():
        kernels = [flat.kernels[components.members[c][0]] for c in members]
        adds = items * sum(multiply_adds(k) for k in kernels)
        moved = items * sum(_moved(flat, k) for k in kernels)
        if adds >= MULTIPLY_ADDS and adds >= INTENSITY * moved:
            worth.update(members)
    return worth


def multiply_adds(kernel):
    """Multiply-adds of a kernel in a step; 0 for what is elementwise."""
    return kernel.inputs[0].size if kernel.node.stacks else kernel.node.multiply_adds


def _moved(flat, kernel):
    """Elements that a kernel reads and writes in a step, constants apart."""
    return sum(a.size for a in kernel.inputs if not a.is_constant) + sum(flat.values[v].size for o in kernel.outputs for v in o)


def _levels(components, heavy):
    """For each component its level: even ones are sweeps, odd ones loops."""
    levels = []
    for c, before in enumerate(components.before):
        if c in components.recurrent:
            latest = max((levels[b] for b in before), default=0)
            latest += latest % 2 == 0
        else:
            # A sweep cannot both delay a value by a step and read it.
            latest = max((levels[b] + 2 * (b in components.delays and levels[b] % 2 == 0) for b in before), default=0)
            latest += latest % 2 if c in heavy else 0
        levels.append(latest)
    return levels


def _by_level(flat, components, levels):
    n = len(flat.kernels)
    kernels, carried = defaultdict(list), defaultdict(list)
    for members, level in zip(components.members, levels):
        for i in members:
            (kernels if i < n else carried)[level].append(i)
    return tuple(
        Stage(
            "loop" if level % 2 else "sweep", tuple(flat.kernels[i] for i in sorted(kernels[level])),
            tuple(flat.carried[i - n] for i in sorted(carried[level])),
        )
        for level in sorted(set(levels))
    )
