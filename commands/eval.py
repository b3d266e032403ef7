"""`dqlore eval`: many questions through one or more methods, recorded as they come."""

from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dqlore.core.errors import UsageError

from . import options, render
from .running import run

if TYPE_CHECKING:
    from dqlore.core.evaluate.questions import Questions
    from dqlore.core.evaluate.run import Plan
    from dqlore.core.parts import Parts
    from dqlore.core.settings import Settings

BELOW = 3


class Metric(StrEnum):
    accuracy = "accuracy"
    nll = "nll"


class Strategy(StrEnum):
    greedy = "greedy"
    self_consistency = "self-consistency"
    pmi = "pmi"


@options.takes("data", "concurrency", "m", "n", "rerank", "dim", *options.POOL, "passages", *options.MODELS)
def evaluate(
    settings: "Settings",
    dataset: Annotated[
        str | None, typer.Option("--dataset", metavar="D", help="A dataset of `dqlore data list`, or starter.")
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--in", metavar="FILE", help="Own questions: rows with question and answer.")
    ] = None,
    method: Annotated[
        str | None, typer.Option("--method", metavar="M[,M...]", help="One or more of `dqlore methods`.")
    ] = None,
    split: Annotated[
        str | None, typer.Option("--split", metavar="S", help="A split; without it the dataset's last one.")
    ] = None,
    limit: Annotated[int | None, typer.Option("--limit", min=1, metavar="N", help="The first N questions.")] = None,
    metric: Annotated[Metric, typer.Option("--metric", help="nll scores the gold reply without generating.")] = (
        Metric.accuracy
    ),
    strategy: Annotated[Strategy, typer.Option("--strategy", help="How the answer is found.")] = Strategy.greedy,
    samples: Annotated[
        int | None,
        typer.Option("--samples", min=2, metavar="K", help="Replies to choose from, with a strategy."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="RUN", help="Run folder; with several methods, one folder in it for each."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in --out.")] = False,
    fail_under: Annotated[
        float | None, typer.Option("--fail-under", min=0, max=1, metavar="X", help="Exit code 3 below this accuracy.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Evaluate methods on a dataset or on own questions; interrupt it when you like and go on with --resume.

    The pool is the dataset's training split unless --pool names another, also that of another dataset.

    Examples:

      dqlore eval --dataset svamp --method epr,dq-lore --limit 100 --out runs/svamp

      dqlore eval --dataset svamp --pool gsm8k --method dq-lore --metric nll

      dqlore eval --in questions.jsonl --pool solved.jsonl --json --fail-under 0.5 | jq .accuracy
    """
    _check(dataset, file, split, metric, strategy, samples, out, resume, fail_under)
    from dqlore.core.evaluate.questions import dataset_questions, file_questions, settings_for
    from dqlore.core.evaluate.run import Plan
    from dqlore.core.methods import find_method
    from dqlore.core.parts import Parts

    methods = list(dict.fromkeys(name.strip() for name in (method or settings.select.method).split(",")))
    for name in methods:
        find_method(name)
    if dataset is not None:
        questions = dataset_questions(dataset, split, data_dir=settings.data, limit=limit)
    else:
        assert file is not None
        questions = file_questions(file, settings.task.kind, limit=limit)
    render.warn(questions.warnings)
    drawn = {Strategy.greedy: 1, Strategy.self_consistency: 5, Strategy.pmi: settings.pmi.samples}
    plan = Plan(metric.value, strategy.value, samples or drawn[strategy])
    folders = _folders(out, questions.dataset, methods)
    with render.progress() as progress:
        parts = Parts(settings_for(settings, questions, methods), progress)
        summaries = run(parts, _run(parts, questions, plan, folders, resume))
    render.warn(parts.all_warnings())
    if json:
        render.emit_json(summaries[0] if len(summaries) == 1 else summaries)
    else:
        _show(summaries)
    raise typer.Exit(_exit_code(summaries, fail_under))


def _check(
    dataset: str | None,
    file: Path | None,
    split: str | None,
    metric: Metric,
    strategy: Strategy,
    samples: int | None,
    out: Path | None,
    resume: bool,
    fail_under: float | None,
) -> None:
    if (dataset is None) == (file is None):
        raise UsageError("name the questions by either --dataset or --in")
    if file is not None and split is not None:
        raise UsageError("--split goes with --dataset; a file of questions has none")
    if resume and out is None:
        raise UsageError("--resume needs --out, the folder of the run to go on with")
    if metric == Metric.nll and (fail_under is not None or strategy != Strategy.greedy):
        raise UsageError("--metric nll gives no accuracy: it goes neither with --fail-under nor with --strategy")
    if samples is not None and strategy == Strategy.greedy:
        raise UsageError("--samples goes with --strategy self-consistency or pmi")


def _folders(out: Path | None, dataset: str, methods: list[str]) -> dict[str, Path]:
    """Return the run folder of each method."""
    if out is None:
        out = Path("runs") / f"{datetime.now():%Y%m%d-%H%M%S}-{dataset}"
        return {name: out / name for name in methods}
    return {methods[0]: out} if len(methods) == 1 else {name: out / name for name in methods}


async def _run(
    parts: "Parts", questions: "Questions", plan: "Plan", folders: dict[str, Path], resume: bool
) -> list[dict[str, Any]]:
    from dqlore.core.evaluate.run import evaluate as evaluate_method

    from .eval_progress import eval_progress

    summaries = []
    for name, path in folders.items():
        with eval_progress(name, path) as tell:
            summaries.append(await evaluate_method(parts, name, questions, plan, path, resume=resume, tell=tell))
    return summaries


def _exit_code(summaries: list[dict[str, Any]], fail_under: float | None) -> int:
    if fail_under is not None and any(summary["accuracy"] < fail_under for summary in summaries):
        return BELOW
    failed = [summary for summary in summaries if summary["errors"]]
    for summary in failed:
        render.note(
            f"{summary['method']}: {summary['errors']} of {summary['n']} questions failed; their records say why, "
            f"and --resume --out {summary['run']} asks them again"
        )
    return int(bool(failed))


def _show(summaries: list[dict[str, Any]]) -> None:
    """Print the table of results."""
    if summaries[0]["metric"] == "nll":
        render.rows(
            ("method", "n", "nll per token", "failed", "s/q", "run"),
            [
                (s["method"], s["n"], _number(s["nll"]), s["errors"], f"{s['timings']['total']:.2f}", s["run"])
                for s in summaries
            ],
        )
        return
    spans = "f1" in summaries[0]
    f1 = ("F1", "95 %") if spans else ()
    render.rows(
        (
            "method",
            "n",
            "exact match" if spans else "accuracy",
            "95 %",
            *f1,
            "right",
            "wrong",
            "none",
            "cut",
            "failed",
            "s/q",
            "run",
        ),
        [
            (
                s["method"],
                s["n"],
                _number(s["accuracy"]),
                _interval(s["ci95"]),
                *((_number(s["f1"]), _interval(s["f1_ci95"])) if spans else ()),
                s["correct"],
                s["wrong"],
                s["unparsed"] - s["cut_off"],
                s["cut_off"],
                s["errors"],
                f"{s['timings']['total']:.2f}",
                s["run"],
            )
            for s in summaries
        ],
    )
    if "dialogues" in summaries[0]:
        _show_dialogues(summaries)
    render.note("accuracy is over all n questions: those without an answer, cut off or failed count as not right")


def _show_dialogues(summaries: list[dict[str, Any]]) -> None:
    """Print joint goal accuracy and slot F1 under each reading of "the same value"."""
    from dqlore.core.dialogue.metrics import READINGS

    figures = [
        (s["method"], reading, name, s["dialogues"][reading])
        for s in summaries
        for reading in READINGS
        for name in ("joint_goal", "slot_f1")
    ]
    render.rows(
        ("method", "reading", "figure", "value", "95 % over dialogues"),
        [
            (
                method,
                reading,
                "joint goal accuracy" if name == "joint_goal" else "slot F1",
                _number(found.get(name, found.get("joint_goal_accuracy"))),
                "–".join(f"{limit:.3f}" for limit in found[f"{name}_ci95"] or ()) or "-",
            )
            for method, reading, name, found in figures
        ],
    )


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _interval(ends: list[float]) -> str:
    return "–".join(f"{limit:.3f}" for limit in ends)
