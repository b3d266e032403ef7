"""One HTML page about runs: tables, pictures, comparisons and every record. It loads nothing from anywhere."""

import base64
import html
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..files import write_atomic
from ..text import printable
from .compare import compare
from .folder import read_config, read_records, read_summary
from .plots import image, plot_runs, plot_stages
from .records import Record

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; margin: 1rem 0; } th, td { padding: .25rem .7rem; text-align: right; }
th:first-child, td:first-child { text-align: left; } tr + tr { border-top: 1px solid #ddd; }
img { max-width: 100%; } pre { white-space: pre-wrap; background: #f5f5f5; padding: .6rem; overflow-wrap: anywhere; }
details { border-top: 1px solid #eee; padding: .3rem 0; } summary { cursor: pointer; }
.right { color: #007a55; } .wrong, .failed { color: #b33c00; } .no, .cut { color: #8a6d00; }
input, select { font: inherit; padding: .2rem .4rem; }
@media (prefers-color-scheme: dark) { body { background: #1b1b1b; color: #ddd; } pre { background: #2a2a2a; }
 img { background: white; } tr + tr, details { border-color: #3a3a3a; } .right { color: #4cc795; }
 .wrong, .failed { color: #ff8a5c; } .no, .cut { color: #e0c050; } }
"""

# Hides the records of a run that are not of the chosen status or do not hold the text.
_SCRIPT = """
for (const run of document.querySelectorAll("section.records")) {
  const status = run.querySelector("select"), text = run.querySelector("input");
  const show = () => { for (const record of run.querySelectorAll("details.record"))
    record.hidden = (status.value && record.dataset.status !== status.value)
      || !record.textContent.toLowerCase().includes(text.value.toLowerCase()); };
  status.addEventListener("change", show); text.addEventListener("input", show);
}
"""


def write_report(runs: Sequence[Path], out: Path) -> None:
    """Write the page about complete runs. Raises UsageError."""
    summaries = [read_summary(run) for run in runs]
    page = io.StringIO()
    for part in _page(runs, summaries):
        page.write(part)
    try:
        write_atomic(out, page.getvalue())
    except OSError as error:
        raise UsageError(f"{out} cannot be written: {error.strerror or error}") from None


def _page(runs: Sequence[Path], summaries: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    title = "Evaluation of " + ", ".join(dict.fromkeys(str(summary["dataset"]) for summary in summaries))
    policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
    yield "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield "<meta name='viewport' content='width=device-width'>"
    yield f"<title>{_text(title)}</title><style>{_STYLE}</style></head><body><h1>{_text(title)}</h1>"
    yield _results(summaries)
    yield from _pictures(summaries)
    yield from _comparisons(runs, summaries)
    for run, summary in zip(runs, summaries, strict=True):
        yield from _run(run, summary)
    yield f"<script>{_SCRIPT}</script></body></html>\n"


def _results(summaries: Sequence[Mapping[str, Any]]) -> str:
    header = (
        "method", "dataset", "n", "accuracy", "95 % interval", "nll", "right", "wrong", "no answer", "cut off",
        "failed", "s/question", "tokens", "cost",
    )  # fmt: skip
    rows = [
        (
            s["method"],
            f"{s['dataset']} {s['split']}",
            s["n"],
            _number(s["accuracy"]),
            "–" if s["ci95"] is None else " to ".join(map(_number, s["ci95"])),
            _number(s["nll"]),
            s["correct"],
            s["wrong"],
            s["unparsed"] - s["cut_off"],
            s["cut_off"],
            s["errors"],
            f"{s['timings']['total']:.2f}",
            "–" if None in _tokens(s) else f"{sum(_tokens(s)):,}",
            _number(s["cost"]),
        )
        for s in summaries
    ]
    note = "<p>Accuracy is over all n questions: those without an answer, cut off or failed count as not right.</p>"
    return f"<h2>Results</h2>{_table(header, rows)}{note}"


def _tokens(summary: Mapping[str, Any]) -> list[Any]:
    return [summary["usage"][kind] for kind in ("prompt_tokens", "completion_tokens")]


def _pictures(summaries: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    figures = [("Seconds a question by stage", plot_stages(summaries))]
    if len({summary["metric"] for summary in summaries}) == 1:
        figures.insert(0, ("Results with 95 % intervals", plot_runs(summaries)))
    for name, figure in figures:
        data = base64.b64encode(image(figure, "svg")).decode()
        yield f'<p><img alt="{_text(name)}" src="data:image/svg+xml;base64,{data}"></p>'


def _comparisons(runs: Sequence[Path], summaries: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Compare the first run with each other one on the questions they share."""
    rows = []
    for run, summary in zip(runs[1:], summaries[1:], strict=True):
        try:
            found = compare(runs[0], run)
        except UsageError:  # other questions or another metric
            continue
        low, high = found["ci95"]
        cells = [found.get(key, "–") for key in ("both_right", "only_a", "only_b", "both_wrong")]
        p = f"{found['p']:.3g}" if "p" in found else "–"
        rows.append(
            (summary["method"], found["n"], *cells, f"{found['difference']:+.4f}", f"{low:+.4f} to {high:+.4f}", p)
        )
    if rows:
        first = _text(str(summaries[0]["method"]))
        header = (
            "b", "questions", "both right", "only a", "only b", "both wrong", "a - b", "95 % interval", "McNemar p"
        )  # fmt: skip
        yield f"<h2>a = {first} against the others</h2>{_table(header, rows)}"


def _run(path: Path, summary: Mapping[str, Any]) -> Iterator[str]:
    config = read_config(path)
    yield f"<h2>{_text(summary['method'])} on {_text(summary['dataset'])} {_text(summary['split'])}</h2>"
    yield f"<details><summary>Settings</summary><pre>{_text(json.dumps(config, ensure_ascii=False, indent=1))}</pre>"
    yield "</details><section class='records'><p><select><option value=''>all</option>"
    for status in ("right", "wrong", "no answer", "cut off", "failed", "scored"):
        yield f"<option>{status}</option>"
    yield "</select> <input type='search' placeholder='text in the record'></p>"
    for row in read_records(path):
        yield _record(row)
    yield "</section>"


def _record(row: Record) -> str:
    status = str(row["status"])
    said = row["predicted"] if row["predicted"] is not None else status
    head = f"{row['id']}: {said} (gold {row['gold']})"
    texts = [
        ("Question", "\n".join([row["question"], *row.get("options", ())])),
        ("First query", row["cot"]),
        ("Exemplars", "\n".join(map(_pick, row["exemplars"]))),
        ("Reply", row["completion"]),
        ("Samples", "\n".join(str(sample["answer"]) for sample in row.get("samples", ()))),
        ("Error", row["error"]),
        ("Warnings", "\n".join(row["warnings"])),
    ]
    body = "".join(f"<h4>{name}</h4><pre>{_text(text)}</pre>" for name, text in texts if text)
    return (
        f'<details class="record" data-status="{_text(status)}"><summary class="{_text(status.split()[0])}">'
        f"{_text(head)}</summary>{body}</details>\n"
    )


def _pick(pick: Mapping[str, Any]) -> str:
    score = "" if pick["score"] is None else f", score {pick['score']:.4f}"
    was = "" if pick["candidate_rank"] is None else f", candidate {pick['candidate_rank']}"
    return f"{pick['rank']}. {pick['id']}{score}{was}"


def _table(header: Sequence[object], rows: Sequence[Sequence[object]]) -> str:
    head = "".join(f"<th>{_text(cell)}</th>" for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def _text(value: object) -> str:
    """Return any text so that a browser shows it and nothing more."""
    return html.escape(printable(str(value)))


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
