"""Scores of many continuations at once: packed without padding, a common beginning read once by each that needs it.

Training needs the rationale of every anchor after each of its candidates. Pairs with the same exemplar share the
beginning of the prompt, and on average fifty of them do when a whole pool is mined.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from math import fsum

import torch

from ..threads import parallel_map
from .batching import Budget, plan
from .decoding import Target, score_targets
from .engine import Engine
from .packed import Pack, Tree, Trunk
from .shared_prefix import worth_sharing

#: Tokens of a part, which a CPU's worker reads alone. Families join up to the first figure; they are divided so that
#: parts come near the second, for each part reads the trunk anew.
_JOINED, _DIVIDED = 1024, 3584


#: A family is what begins alike, such as prompts with the same exemplar.
Families = Sequence[Sequence[Target]]


@dataclass(eq=False)
class Group:
    """Targets to be scored together. The scores go to the targets; `result` says that all have theirs."""

    families: Families
    result: "Future[None]" = field(default_factory=Future)


def score_group(engine: Engine, group: Group, pack_budget: Budget, budget: Budget) -> None:
    """Set log P(continuation | context) of each target of the group.

    Models that cannot read packs get padded batches. Which targets stand in a pack depends on the group alone, so
    that scoring it again gives the same bits.
    """
    if not engine.reads_packs:
        for batch in plan([target for family in group.families for target in family], budget):
            if group.result.cancelled():
                return
            score_targets(engine, batch)
    else:
        parts = _parts(group.families) if engine.device.type == "cpu" else [group.families]
        with engine.packs(), parallel_map(len(parts)) as mapped:
            for _ in mapped(lambda part: _score_in_packs(engine, group, part, pack_budget), parts):
                pass  # a failure of any part shows here
    if not group.result.cancelled():
        group.result.set_result(None)


@torch.inference_mode()
def _score_in_packs(engine: Engine, group: Group, families: Families, budget: Budget) -> None:
    """Score pack by pack; only positions that predict a token of a continuation go through the head."""
    for trees, targets in _packs(families, budget):
        if group.result.cancelled():
            return
        pack = Pack(trees, engine.device)
        lengths = [len(branch) for tree in trees for branch in tree.branches]
        ends = [start + length for start, length in zip(pack.starts, lengths, strict=True)]
        columns = [c for end, target in zip(ends, targets, strict=True) for c in range(end - target.last, end)]
        wanted = [token for target in targets for token in target.continuation]
        values = iter(engine.log_probabilities(engine.read_pack(pack, columns), wanted).tolist())
        for target in targets:
            target.finish(fsum(next(values) for _ in target.continuation))


def _parts(families: Families) -> list[Families]:
    """Return the families in parts of like size, large ones first so that workers end together."""
    parts: list[list[Sequence[Target]]] = []
    sizes: list[int] = []
    for family in families:
        size = sum(len(target.tokens) for target in family) - (len(family) - 1) * len(_trunk(family).tokens)
        if parts and sizes[-1] + size <= _JOINED:
            parts[-1].append(family)
            sizes[-1] += size
            continue
        count = min(len(family), max(1, round(size / _DIVIDED)))
        parts += [[family[i::count]] for i in range(count)]
        sizes += [size // count] * count
    return [part for _, part in sorted(zip(sizes, parts, strict=True), key=lambda sized: -sized[0])]


def _packs(families: Families, budget: Budget) -> Iterator[tuple[list[Tree], list[Target]]]:
    """Yield trees that fit the budget together, and the targets that their branches are."""
    trees: list[Tree] = []
    whose: list[Target] = []
    tokens = logits = 0
    for family in families:
        trunk = _trunk(family)
        known = len(trunk.tokens)
        own: list[Target] = []
        for target in sorted(family, key=lambda target: len(target.tokens)):  # like lengths pad attention least
            size = len(target.tokens) - known
            unread = 0 if own or trunk.layers else known
            if whose and (tokens + unread + size > budget.tokens or logits + target.last > budget.logits):
                yield [*trees, *_tree(trunk, own)], whose
                trees, whose, own, tokens, logits = [], [], [], 0, 0
                unread = 0 if trunk.layers else known
            own.append(target)
            whose.append(target)
            tokens += unread + size
            logits += target.last
        trees += _tree(trunk, own)
    if whose:
        yield trees, whose


def _tree(trunk: Trunk, own: Sequence[Target]) -> list[Tree]:
    return [Tree(trunk, tuple(target.tokens[len(trunk.tokens) :] for target in own))] if own else []


def _trunk(family: Sequence[Target]) -> Trunk:
    """Return the common beginning; the last token of a context predicts, so it is never part of it."""
    if len(family) == 1:
        return Trunk(())
    return Trunk(worth_sharing([target.tokens for target in family], [target.last for target in family]))
