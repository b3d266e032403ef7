"""Sets of exemplars for CEIL: drawn from an anchor's candidates, then scored by the language model.

`subsets.jsonl` has one row per anchor, appended when all its sets are scored, so that a killed run goes on after it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

SUBSETS = "subsets.jsonl"

#: Weight of diversity, as in the re-ranker `dpp`.
LAMBDA = 0.1

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Subsets:
    """An anchor, its candidates, sets of them (indices, best first), and log P_LM(y | the set, x) of each in nats."""

    anchor: str
    candidates: tuple[str, ...]
    sets: tuple[tuple[int, ...], ...]
    scores: tuple[float, ...]


def draw_sets(
    anchor: FloatArray, candidates: FloatArray, size: int, count: int, seed: Sequence[int], lam: float = LAMBDA
) -> tuple[tuple[int, ...], ...]:
    """Return up to `count` different sets of `size` candidates: the most relevant ones, then draws of a k-DPP.

    `anchor` (d,) and `candidates` (n, d) are embeddings; the kernel is L = diag(r) S diag(r), see `ceil`. Each
    set lists its candidates by falling relevance. Fewer sets come back where there are no more.
    """
    similarities = _cosines(candidates, anchor)
    order = np.argsort(-similarities, kind="stable")
    place = np.argsort(order)
    # The scale of L does not change the draws, so that r can be at most 1.
    r = np.exp((similarities - similarities.max()) / (4 * lam))
    kernel = r[:, None] * (_cosines(candidates, candidates) + 1) / 2 * r
    random = np.random.default_rng(seed)
    sets = [tuple(int(i) for i in order[:size])]
    for _ in range(20 * count):
        if len(sets) == count:
            break
        drawn = tuple(sorted(sample_k_dpp(kernel, size, random), key=lambda i: place[i]))
        if drawn not in sets:
            sets.append(drawn)
    return tuple(sets)


def sample_k_dpp(kernel: FloatArray, k: int, random: np.random.Generator) -> list[int]:
    """Return k indices drawn with probability det L_S / Σ det L_S' (Kulesza and Taskar 2012, algorithm 8)."""
    values, vectors = np.linalg.eigh(kernel)
    values = np.maximum(values, 0)
    chosen = _eigenvectors(values, k, random)
    basis = vectors[:, chosen]
    picked: list[int] = []
    while basis.shape[1]:
        chances = (basis**2).sum(axis=1)
        chances[picked] = 0
        item = int(random.choice(len(kernel), p=chances / chances.sum()))
        picked.append(item)
        pivot = int(np.abs(basis[item]).argmax())
        rest = basis - np.outer(basis[:, pivot] / basis[item, pivot], basis[item])
        basis = np.linalg.qr(np.delete(rest, pivot, axis=1))[0]
    return picked


def _eigenvectors(values: FloatArray, k: int, random: np.random.Generator) -> list[int]:
    """Return which k eigenvectors take part, by elementary symmetric polynomials of the eigenvalues."""
    count = len(values)
    table = np.zeros((k + 1, count + 1))
    table[0] = 1
    for size in range(1, k + 1):
        for n in range(1, count + 1):
            table[size, n] = table[size, n - 1] + values[n - 1] * table[size - 1, n - 1]
    chosen: list[int] = []
    for n in range(count, 0, -1):
        left = k - len(chosen)
        if left == 0:
            break
        if left == n or random.random() * table[left, n] < values[n - 1] * table[left - 1, n - 1]:
            chosen.append(n - 1)
    return chosen


def _cosines(a: FloatArray, b: FloatArray) -> FloatArray:
    unit = a / np.linalg.norm(a, axis=-1, keepdims=True)
    other = b / np.linalg.norm(b, axis=-1, keepdims=True)
    found: FloatArray = unit @ other.T
    return found
