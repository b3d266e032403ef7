"""Pictures of runs and of one question's candidates, as PNG or SVG."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import UsageError
from ..files import write_atomic
from ..rerank import Projection, Ranking, fit_projection

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Stages in the order they run; "total" is their sum.
STAGES = ("first_query", "encode", "retrieve", "rerank", "answer")
FORMATS = (".png", ".svg")

_BLUE, _ORANGE, _GREEN, _GREY = "#0072b2", "#d55e00", "#009e73", "#bbbbbb"
_STAGE_COLOURS = ("#0072b2", "#56b4e9", "#009e73", "#e69f00", "#cc79a7")


def save(figure: "Figure", path: Path) -> None:
    """Write a figure as its file name says. Raises UsageError for another ending than .png or .svg."""
    check_format(path)
    try:
        write_atomic(path, image(figure, path.suffix.lower()[1:]))
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from None


def check_format(path: Path) -> None:
    """Raise UsageError unless the file can hold a picture."""
    if path.suffix.lower() not in FORMATS:
        raise UsageError(f"{path}: pictures are written as {' or '.join(FORMATS)}")


def image(figure: "Figure", format: str) -> bytes:
    """Return the picture; the same figure gives the same bytes."""
    import matplotlib

    buffer = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "dqlore"}):
        figure.savefig(buffer, format=format, dpi=150, metadata={"Date": None} if format == "svg" else {})
    return buffer.getvalue()


def plot_runs(summaries: Sequence[Mapping[str, Any]]) -> "Figure":
    """Show the accuracy of each run with its 95 % interval, or its nll per token."""
    metrics = {summary["metric"] for summary in summaries}
    if len(metrics) > 1:
        raise UsageError("some runs have an accuracy and some an nll: plot them apart")
    figure, axes = _figure(0.9 * len(summaries) + 2.5, 4.2)
    places = np.arange(len(summaries))
    if metrics == {"nll"}:
        axes.bar(places, [summary["nll"] or 0.0 for summary in summaries], color=_BLUE, width=0.6)
        axes.set_ylabel("nll per token of the gold reply (lower is better)")
    else:
        heights = np.array([summary["accuracy"] or 0.0 for summary in summaries])
        limits = np.array([summary["ci95"] or (0.0, 1.0) for summary in summaries]).T
        errors = np.abs(limits - heights)
        axes.bar(places, heights, yerr=errors, capsize=4, color=_BLUE, width=0.6, ecolor="#333333")
        for place, height, high in zip(places, heights, limits[1], strict=True):
            axes.text(place, min(high + 0.01, 0.98), f"{height:.1%}", ha="center", va="bottom", fontsize=8)
        axes.set_ylim(0, min(1.0, float(limits[1].max()) + 0.08))
        axes.set_ylabel("accuracy over all questions, 95 % interval")
    _name_places(axes, summaries)
    return figure


def plot_stages(summaries: Sequence[Mapping[str, Any]]) -> "Figure":
    """Show where the time of a question goes in each run: mean seconds by stage."""
    figure, axes = _figure(0.9 * len(summaries) + 3.5, 4.2)
    places = np.arange(len(summaries))
    base = np.zeros(len(summaries))
    for stage, colour in zip(STAGES, _STAGE_COLOURS, strict=True):
        seconds = np.array([summary["timings"][stage] for summary in summaries])
        axes.bar(places, seconds, bottom=base, color=colour, width=0.6, label=stage.replace("_", " "))
        base += seconds
    axes.set_ylabel("seconds a question")
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    _name_places(axes, summaries)
    return figure


def plot_lore(
    query: np.ndarray,
    vectors: np.ndarray,
    ranking: Ranking,
    n: int,
    reranker: str,
    dim: int | None = None,
    projection: Projection | None = None,
) -> "Figure":
    """Show a question (d,) and its candidates (M, d), in base order, before and after re-ranking (Figure 4).

    Each half is a t-SNE map. The n best and the n worst candidates are marked, on the left by the retrieval score
    and on the right by the re-ranker. "pca" shows its projected vectors on the right, by the `projection` of the pool
    if one is given; other re-rankers leave the space as it is and change only the marks. Raises UsageError for
    fewer than four candidates.
    """
    if len(vectors) < 4:
        raise UsageError(f"a map needs at least four candidates, and there are {len(vectors)}")
    rows = np.vstack([vectors, query[None]]).astype(np.float64)
    after = rows
    if reranker == "pca":
        fitted = projection or fit_projection(rows)
        after = (rows - fitted.mean) @ fitted.components[:dim].T
    figure, axes = _figure(10, 4.8, columns=2)
    kept = f", {dim} directions" if reranker == "pca" and dim else ""
    _panel(axes[0], _tsne(rows), list(range(len(vectors))), n, "retrieved")
    _panel(axes[1], _tsne(after), ranking.order.tolist(), n, f"re-ranked by {reranker}{kept}")
    axes[1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return figure


def _tsne(points: np.ndarray) -> np.ndarray:
    """Return a map (n, 2) of points (n, d)."""
    from sklearn.manifold import TSNE

    perplexity = min(30.0, (len(points) - 1) / 3)
    mapped: np.ndarray = TSNE(perplexity=perplexity, random_state=0, init="random").fit_transform(points)
    return mapped


def _panel(axes: "Axes", points: np.ndarray, order: list[int], n: int, title: str) -> None:
    n = min(n, len(order) // 2)
    groups = (
        ("candidates", order[n : len(order) - n], _GREY, "o"),
        (f"{n} best", order[:n], _GREEN, "o"),
        (f"{n} worst", order[len(order) - n :], _ORANGE, "v"),
        ("question", [len(points) - 1], _BLUE, "*"),
    )
    for label, members, colour, marker in groups:
        x, y = points[members].T
        size = 160 if marker == "*" else 36
        axes.scatter(x, y, s=size, c=colour, marker=marker, label=label, edgecolors="white", linewidths=0.5)
    axes.set_title(title, fontsize=10)
    axes.set_xticks([])
    axes.set_yticks([])


def _figure(width: float, height: float, columns: int = 1) -> "tuple[Figure, Any]":
    """Return a figure outside of pyplot, whose global state keeps figures alive."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(1, columns)


def _name_places(axes: "Axes", summaries: Sequence[Mapping[str, Any]]) -> None:
    several = len({(summary["dataset"], summary["split"]) for summary in summaries}) > 1
    # A $ in a name would start a formula.
    names = [
        (f"{s['method']}\n{s['dataset']}" if several else str(s["method"])).replace("$", r"\$") for s in summaries
    ]
    axes.set_xticks(range(len(names)), names, rotation=30, ha="right")
    axes.spines[["top", "right"]].set_visible(False)
    if not several:
        axes.set_title(f"{summaries[0]['dataset']} {summaries[0]['split']}".replace("$", r"\$"), fontsize=10)
