"""`dqlore compare`: two runs on the same questions."""

from pathlib import Path
from typing import Annotated, Any

import typer

from . import options, render

Run = Annotated[Path, typer.Argument(metavar="RUN", help="Run folder of `dqlore eval`.")]

#: Flipped questions shown on a terminal; pipes and --json have all.
SHOWN = 20


def compare(a: Run, b: Run, json: options.Json = False) -> None:
    """Compare two runs question by question: McNemar's exact test, the difference and its 95 % interval.

    Example: dqlore compare runs/svamp/dq-lore runs/svamp/epr
    """
    from dqlore.core.evaluate.compare import compare as compare_runs

    found = compare_runs(a, b)
    if json:
        render.emit_json(found)
        return
    render.warn(found["warnings"])
    names = [f"{side} ({found[side]['method']})" for side in "ab"]
    if "nll" in found:
        _show_nll(found, names)
    else:
        _show_answers(found, names)


def _show_answers(found: dict[str, Any], names: list[str]) -> None:
    low, high = found["ci95"]
    render.rows(
        ("", "questions"),
        [
            ("both right", found["both_right"]),
            (f"only {names[0]}", found["only_a"]),
            (f"only {names[1]}", found["only_b"]),
            ("both wrong", found["both_wrong"]),
        ],
    )
    print(f"accuracy of {names[0]}: {found['accuracy']['a']:.4f}, of {names[1]}: {found['accuracy']['b']:.4f}")
    print(f"difference a - b: {found['difference']:+.4f}, 95 % interval {low:+.4f} to {high:+.4f}")
    print(f"McNemar exact p: {found['p']:.4g} over {found['n']} questions")
    if found["flipped"]:
        print("flipped:")
        render.rows(
            ("id", "gold", "a", "b", "question"),
            [
                (row["id"], row["gold"], *(row[s]["predicted"] or row[s]["status"] for s in "ab"), row["question"])
                for row in found["flipped"]
            ],
            SHOWN,
        )


def _show_nll(found: dict[str, Any], names: list[str]) -> None:
    low, high = found["ci95"]
    print(f"nll per token of {names[0]}: {found['nll']['a']:.4f}, of {names[1]}: {found['nll']['b']:.4f}")
    print(f"difference a - b: {found['difference']:+.4f}, 95 % interval {low:+.4f} to {high:+.4f} (lower is better)")
    print(f"a is better on {found['a_better']} and b on {found['b_better']} of {found['scored']} questions")
