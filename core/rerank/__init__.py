"""Re-rankers: from a target and its retrieved candidates to a score per candidate and an order.

Pure functions of arrays: `rerank` for one question, `rerank_batch` for many. `RERANKERS` lists what there is.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import UsageError
from . import dpp, ica, kernel_pca, mgs, mmr, pca, similarity
from .base import Ranking, rows_of
from .parallel import in_parts
from .pca import Projection, fit_projection
from .settings import Setting, checked
from .vectors import vectors_of

__all__ = [
    "RERANKERS",
    "Projection",
    "Ranking",
    "Reranker",
    "Setting",
    "find_reranker",
    "fit_projection",
    "rerank",
    "rerank_batch",
]


@dataclass(frozen=True)
class Reranker:
    """A named re-ranker: one line on what it does, how it ranks, and the settings it takes.

    `rank` gets the rows [E; q] (b, M+1, d) of b questions, to which it may write, and a value for every setting.
    """

    name: str
    summary: str
    rank: Callable[..., list[Ranking]]
    settings: Mapping[str, Setting] = field(default_factory=dict)


RERANKERS: Mapping[str, Reranker] = MappingProxyType(
    {
        reranker.name: reranker
        for reranker in (
            Reranker("none", "the retrieval score", similarity.base_score),
            Reranker("pca", "inner product after low-rank approximation", pca.pca, pca.SETTINGS),
            Reranker("gaussian", "Gaussian kernel", similarity.gaussian, similarity.GAUSSIAN_SETTINGS),
            Reranker("kernel-pca", "PCA of the Gaussian kernel", kernel_pca.kernel_pca, kernel_pca.SETTINGS),
            Reranker("ica", "inner product of independent components", ica.ica, ica.SETTINGS),
            Reranker("mgs", "modified Gram-Schmidt", mgs.mgs),
            Reranker("mmr", "maximal marginal relevance", mmr.mmr, mmr.SETTINGS),
            Reranker("dpp", "determinantal point process", dpp.dpp, dpp.SETTINGS),
        )
    }
)


def find_reranker(name: str) -> Reranker:
    """Return the re-ranker called `name`. Raises UsageError that lists the names."""
    if name not in RERANKERS:
        raise UsageError(f"There is no re-ranker '{name}'; choose one of {', '.join(RERANKERS)}.")
    return RERANKERS[name]


def rerank(name: str, query: npt.ArrayLike, candidates: npt.ArrayLike, **params: object) -> Ranking:
    """Rank the candidates (M, d), given in base order, for one query (d,). No candidates give an empty ranking.

    Raises UsageError for an unknown re-ranker or setting, a setting out of range, and unfit vectors.
    """
    reranker, settings = _chosen(name, params)
    target = vectors_of("The query", query, ("d",))
    rows = vectors_of("The candidates", candidates, ("M", "d"))
    return _ranked(reranker, target[None], rows[None], settings)[0]


def rerank_batch(
    name: str,
    queries: npt.ArrayLike,
    candidates: npt.ArrayLike,
    **params: object,
) -> list[Ranking]:
    """Rank b questions at once: queries (b, d), candidates (b, M, d). Group questions by M beforehand.

    Each ranking equals that of `rerank`; raises the same errors.
    """
    reranker, settings = _chosen(name, params)
    targets = vectors_of("The queries", queries, ("b", "d"))
    rows = vectors_of("The candidates", candidates, ("b", "M", "d"))
    return _ranked(reranker, targets, rows, settings)


def _chosen(name: str, params: Mapping[str, object]) -> tuple[Reranker, dict[str, object]]:
    reranker = find_reranker(name)
    return reranker, checked(name, reranker.settings, params)


def _ranked(
    reranker: Reranker,
    queries: npt.NDArray[Any],
    candidates: npt.NDArray[Any],
    settings: Mapping[str, object],
) -> list[Ranking]:
    batch, count, width = candidates.shape
    if batch != len(queries):
        raise UsageError(f"Each query needs its candidates: {len(queries)} queries, {batch} lists of candidates.")
    if batch == 0 or count == 0:
        return [Ranking(np.empty(0, dtype=np.intp), np.empty(0)) for _ in range(batch)]
    if width != queries.shape[1]:
        raise UsageError(
            f"The query has {queries.shape[1]} values and the candidates have {width}; encode both with one encoder."
        )

    def work(part: slice) -> list[Ranking]:
        return reranker.rank(rows_of(queries[part], candidates[part]), **settings)

    return in_parts(work, batch, (count + 1) * width)
