"""Exact search among many vectors: fast inner products first, then exact ones of the few rows that can still win.

The fast products are in bfloat16 where the CPU multiplies it natively, else in float32. How far they can be off is
bounded, so a row is dropped only where m others are better in spite of any rounding.
"""

import warnings
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from ..device import pick_device, torch_dtype
from ..encoder.base import Vectors
from ..threads import Map, parallel_map
from .hits import FloatArray, IntArray

if TYPE_CHECKING:
    import torch

#: Rows and queries multiplied at a time, so that the products stay in the processor's cache.
_BLOCK, _QUERIES = 16_384, 128
#: Rows compared with the border by their maximum alone.
_GROUP = 32


def top_inner_products(
    vectors: Vectors, queries: Vectors, m: int, allowed: npt.NDArray[np.bool_] | None = None, dtype: str = "auto"
) -> tuple[FloatArray, IntArray]:
    """Return scores and positions (b, m) of the rows of `vectors` (n, d) nearest to each of the `queries` (b, d).

    The score is the inner product in float64, higher is better; the best row comes first, of equals the one with the
    lower position. Rows outside the mask `allowed` (n,) are left out; with fewer than m rows, (b, rows) come back.
    `dtype` is that of the fast products. All numbers are finite.
    """
    import torch

    m = max(0, min(m, len(vectors) if allowed is None else int(allowed.sum())))
    scores, positions = np.empty((len(queries), m)), np.empty((len(queries), m), dtype=np.int64)
    if m == 0:
        return scores, positions
    with warnings.catch_warnings():
        # Vectors mapped from a file are read-only; nothing here writes to them.
        warnings.simplefilter("ignore", UserWarning)
        rows = torch.from_numpy(vectors)
    barred = None if allowed is None else torch.from_numpy(~allowed)
    units = torch.from_numpy(queries / np.linalg.norm(queries, axis=1, keepdims=True).clip(1e-30))
    units = units.to(torch_dtype(pick_device("cpu", dtype)))
    with parallel_map(torch.get_num_threads()) as mapped:
        for start in range(0, len(queries), _QUERIES):
            for i, found in enumerate(_shortlists(mapped, rows, units[start : start + _QUERIES], m, barred), start):
                scores[i], positions[i] = ranked(vectors, found, queries[i], m)
    return scores, positions


def ranked(vectors: Vectors, positions: IntArray, query: Vectors, m: int) -> tuple[FloatArray, IntArray]:
    """Return scores and positions of the best m of `positions`, by falling score, equal scores by position.

    Each score is summed in float64 within its own row, so equal rows have equal scores wherever they stand.
    """
    wide = query.astype(np.float64)
    parts = [positions[i : i + _BLOCK] for i in range(0, len(positions), _BLOCK)]
    scores = np.concatenate([np.empty(0), *((vectors[part].astype(np.float64) * wide).sum(axis=1) for part in parts)])
    best = np.lexsort((positions, -scores))[:m]
    return scores[best], positions[best]


class _Near(NamedTuple):
    """Pairs of a row and a query that may belong together, with the most their score can be.

    `border` (m, b) are scores that m rows reach for certain.
    """

    rows: "torch.Tensor"
    whose: "torch.Tensor"
    reach: "torch.Tensor"
    border: "torch.Tensor"


def _shortlists(
    mapped: Map, vectors: "torch.Tensor", units: "torch.Tensor", m: int, barred: "torch.Tensor | None"
) -> list[IntArray]:
    """Return, for each query, positions among which its m best rows are."""
    import torch

    share = -(-len(vectors) // torch.get_num_threads())
    shares = [range(i, min(i + share, len(vectors))) for i in range(0, len(vectors), share)]
    found = list(mapped(lambda span: _near(vectors, units, m, barred, span), shares))
    border = torch.cat([each.border for each in found]).topk(m, dim=0).values[-1]
    rows, whose, reach = (torch.cat(parts) for parts in list(zip(*found, strict=True))[:3])
    kept = (reach >= border[whose]).nonzero().squeeze(1)
    kept = kept[whose[kept].argsort(stable=True)]
    counts = whose[kept].bincount(minlength=len(units)).tolist()
    return [part.numpy() for part in torch.split(rows[kept], counts)]


def _near(
    vectors: "torch.Tensor", units: "torch.Tensor", m: int, barred: "torch.Tensor | None", span: range
) -> _Near:
    """Return the pairs of the rows in `span` with unit vectors (b, d) of the queries."""
    import torch

    # Used again for every block: memory that is new each time costs more than the rounding.
    narrow = torch.empty((min(_BLOCK, len(span)), vectors.shape[1]), dtype=units.dtype)
    border = torch.full((m, len(units)), -torch.inf)
    found: list[tuple[torch.Tensor, ...]] = []
    for start in span[::_BLOCK]:
        stop = min(start + _BLOCK, span.stop)
        block = vectors[start:stop]
        rough = narrow[: len(block)].copy_(block) @ units.T
        slack = _error_bound(block, units.dtype)
        if barred is not None:
            rough[barred[start:stop]] = -torch.inf
        if missing := -len(block) % _GROUP:
            rough = torch.cat((rough, rough.new_full((missing, len(units)), -torch.inf)))
            slack = torch.cat((slack, slack.new_zeros((missing, 1))))
        rough, slack = rough.view(-1, _GROUP, len(units)), slack.view(-1, _GROUP, 1)

        # m groups whose best row surely reaches the border are m rows that do.
        tops, most = rough.amax(1).float(), slack.amax(1)
        border = torch.cat((border, tops - most)).topk(m, dim=0).values
        groups, whose = (tops + most >= border[-1]).nonzero(as_tuple=True)
        reach = rough[groups, :, whose] + slack[groups, :, 0]
        pairs, offsets = ((reach >= border[-1, whose, None]) & (reach > -torch.inf)).nonzero(as_tuple=True)
        found.append((start + groups[pairs] * _GROUP + offsets, whose[pairs], reach[pairs, offsets]))
    rows, whose, reach = (torch.cat(parts) for parts in zip(*found, strict=True))
    return _Near(rows, whose, reach, border)


def _error_bound(rows: "torch.Tensor", dtype: "torch.dtype") -> "torch.Tensor":
    """Return how far the fast product of each row (n, d) with a unit vector can be from the exact one, (n, 1).

    Row, query and product are each rounded to `dtype`, by at most half its eps; the sum of d terms is in float32. By
    Cauchy and Schwarz, the errors of all terms together weigh no more than the product of the two lengths.
    """
    import torch

    rounding = (1 + torch.finfo(dtype).eps / 2) ** 3 - 1
    summation = (rows.shape[1] + 8) * 2 * torch.finfo(torch.float32).eps
    lengths: torch.Tensor = torch.linalg.vector_norm(rows, dim=1, keepdim=True)
    # What underflows is lost whatever the length; 1e-30 is far more than that.
    return (rounding + summation) * lengths + 1e-30
