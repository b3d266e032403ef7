"""How state looks as text: table rows, the strip of timings, one exemplar in full, a query as Markdown."""

from collections.abc import Collection, Sequence

from rich.cells import cell_len

from dqlore.core.exemplars import Exemplar
from dqlore.core.prompts import question_text
from dqlore.core.text import one_line, printable

from .reading import reading_markdown
from .state import AskState, CandidateRow, PickRow, Stage
from .widgets.table import Column, Row, Tone


def candidate_table(rows: Sequence[CandidateRow]) -> tuple[list[Row], *tuple[Column, ...]]:
    """Return the candidates as table rows, and the columns."""
    shown = [
        Row(
            row.exemplar.id,
            (
                str(row.rank),
                f"{row.score:.4f}",
                "" if row.picked is None else str(row.picked),
                one_line(row.exemplar.id),
                one_line(row.exemplar.question),
            ),
            ("", "", "new", "muted"),
            marked=row.picked is not None,
        )
        for row in rows
    ]
    return (
        shown,
        Column("#", _widest(shown, 0), right=True),
        Column("score", _widest(shown, 1, 5), right=True),
        Column("pick", 4, right=True),
        Column("id", _widest(shown, 3), needs=50, tail=True),
        Column("question", 0),
    )


def pick_table(rows: Sequence[PickRow], marked: Collection[str] = ()) -> tuple[list[Row], *tuple[Column, ...]]:
    """Return the picks as table rows, those with an id in `marked` set off, and the columns."""
    shown = [
        Row(
            row.pick.exemplar.id,
            (
                str(row.pick.rank),
                "" if row.pick.score is None else f"{row.pick.score:.4f}",
                row.change,
                "" if row.pick.candidate_rank is None else str(row.pick.candidate_rank),
                one_line(row.pick.exemplar.id),
                one_line(row.pick.exemplar.question),
            ),
            ("", "", _tone(row.change), "muted", "muted"),
            marked=row.pick.exemplar.id in marked,
        )
        for row in rows
    ]
    return (
        shown,
        Column("#", _widest(shown, 0), right=True),
        Column("score", _widest(shown, 1, 5), right=True),
        Column("moved", 5, right=True),
        Column("was", 3, right=True, needs=50),
        Column("id", _widest(shown, 4), needs=50, tail=True),
        Column("question", 0),
    )


def _widest(rows: Sequence[Row], column: int, least: int = 2, most: int = 16) -> int:
    return max([least, *(min(most, cell_len(row.cells[column])) for row in rows)])


def _tone(change: str) -> Tone:
    return "up" if change[:1] == "▴" else "down" if change[:1] == "▾" else "new" if change == "new" else "muted"


def exemplar_text(exemplar: Exemplar, state: AskState | None = None) -> str:
    """Return an exemplar in full, with its scores in `state`."""
    lines = [f"id: {one_line(exemplar.id)}"]
    if state is not None:
        found = next((row for row in state.candidate_rows() if row.exemplar.id == exemplar.id), None)
        pick = next((pick for pick in state.picks if pick.exemplar.id == exemplar.id), None)
        if found:
            lines.append(f"retrieved: rank {found.rank}, score {found.score:.4f}")
        score = _score_of(state, exemplar.id)
        if score is not None:
            lines.append(f"re-ranked by {state.setup.reranker}: rank {score[0]}, score {score[1]:.4f}")
        lines.append(f"in the prompt: rank {pick.rank} of {len(state.picks)}" if pick else "not in the prompt")
    question = question_text(exemplar.question, exemplar.options)
    lines += ["", printable(question)]
    if exemplar.rationale:
        lines += ["", printable(exemplar.rationale)]
    return "\n".join([*lines, "", f"Answer: {printable(exemplar.answer)}"])


def _score_of(state: AskState, key: str) -> tuple[int, float] | None:
    """Return rank and score that the re-ranker gave, also to a candidate that was not picked."""
    ranking = state.reranked.ranking if state.reranked else None
    shown = state.candidates
    if ranking is None or shown is None:
        return None
    for rank, position in enumerate(ranking.order, start=1):
        if shown.candidates[position].exemplar.id == key:
            return rank, float(ranking.scores[position])
    return None


def stage_text(stages: list[Stage], running: str, elapsed: float, width: int) -> str:
    """Return the strip of timings in the longest form that fits `width`; the running stage counts up."""
    shown = [
        (stage, elapsed if stage.name == running and stage.seconds is None else stage.seconds) for stage in stages
    ]
    done = all(stage.seconds is not None for stage in stages)
    total = sum(stage.seconds or 0 for stage in stages)
    for gap, tokens, whole in (("   |   ", " ({} tokens)", True), (" | ", " {} tok", True), (", ", "", False)):
        parts = [
            f"{stage.name if whole else stage.name.removeprefix('first ')} "
            + ("-" if seconds is None else seconds_text(seconds))
            + (tokens.format(stage.tokens) if stage.tokens is not None else "")
            + (" cached" if stage.cached and whole else "")
            for stage, seconds in shown
        ]
        text = gap.join([*parts, f"total {seconds_text(total)}"] if done and whole else parts)
        if len(text) <= width:
            break
    return text


def seconds_text(seconds: float) -> str:
    """Return a time in the unit that suits it."""
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms" if seconds >= 0.001 else "<1 ms"


def markdown(state: AskState) -> str:
    """Return the query as Markdown: question, first query, exemplars, answer."""
    setup = state.setup
    how = f"{setup.method}, re-ranker {setup.reranker}, M = {setup.m}, n = {setup.n}"
    lines = ["# Question", "", printable(state.query.question), "", f"Method: {how}"]
    if state.cot.text:
        lines += ["", "## First query", "", state.cot.text]
    lines += _exemplar_lines(state) if state.reranked else reading_markdown(state.reading)
    if state.answered:
        given = "none found in the reply" if state.answered.answer is None else printable(state.answered.answer)
        note = ["(given with other exemplars than those above)", ""] if state.stale else []
        lines += ["", "## Reply", "", *note, state.answer.text, "", f"**Answer: {given}**"]
    return "\n".join(lines) + "\n"


def _exemplar_lines(state: AskState) -> list[str]:
    lines = ["", "## Exemplars", "", "| # | score | was | id | question |", "|--:|--:|--:|---|---|"]
    for cells in (row.cells for row in pick_table(state.pick_rows())[0]):
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in (*cells[:2], *cells[3:])) + " |")
    return lines
