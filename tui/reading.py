"""What a method that reads has come to, folded from its events, and how that looks as tables."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dqlore.core.answer.decision import verdicts
from dqlore.core.events import AnswersProposed, Event, FoundPassage, Judged, PassagesFound, Summarized
from dqlore.core.passages import Passage
from dqlore.core.text import one_line, printable

from .widgets.table import Column, Row


@dataclass(frozen=True)
class Reading:
    """Passages, answer candidates and their summaries (aligned), and the verdicts, as far as they are known."""

    found: PassagesFound | None = None
    proposed: AnswersProposed | None = None
    summarized: Summarized | None = None
    judged: Judged | None = None

    @classmethod
    def of(cls, events: Sequence[Event]) -> "Reading":
        """Return what the events of a question say."""
        reading = cls()
        for event in events:
            match event:
                case PassagesFound():
                    reading = replace(reading, found=event)
                case AnswersProposed():
                    reading = replace(reading, proposed=event)
                case Summarized():
                    reading = replace(reading, summarized=event)
                case Judged():
                    reading = replace(reading, judged=event)
        return reading

    @property
    def passages(self) -> tuple[FoundPassage, ...]:
        return self.found.passages if self.found else ()

    @property
    def answers(self) -> tuple[str, ...]:
        return self.proposed.answers if self.proposed else ()

    @property
    def summaries(self) -> list[str]:
        return [reply.text.strip() for reply in self.summarized.summaries] if self.summarized else []


def answer_table(reading: Reading) -> tuple[list[Row], *tuple[Column, ...]]:
    """Return the answer candidates as table rows, the chosen one marked, and the columns."""
    answers, judged = reading.answers, reading.judged
    known = [("", "", "")] * len(answers) if judged is None else verdicts(judged)
    rows = [
        Row(
            answer,
            (str(place + 1), *verdict, one_line(answer)),
            ("muted", "", "", "new"),
            marked=judged is not None and place == judged.chosen,
        )
        for place, (verdict, answer) in enumerate(zip(known, answers, strict=True))
    ]
    return (
        rows,
        Column("#", 2, right=True),
        Column("valid", 7),
        Column("rank", 4, right=True),
        Column("sum", 4, right=True),
        Column("answer", 0),
    )


def passage_table(reading: Reading) -> tuple[list[Row], *tuple[Column, ...]]:
    """Return the passages as table rows, and the columns."""
    rows = [
        Row(
            found.passage.id,
            (
                str(found.rank),
                "" if found.score is None else f"{found.score:.4f}",
                one_line(found.passage.id),
                one_line(f"{found.passage.title}: {found.passage.text}".removeprefix(": ")),
            ),
            ("", "", "muted"),
        )
        for found in reading.passages
    ]
    return (
        rows,
        Column("#", 2, right=True),
        Column("score", 7, right=True),
        Column("id", 14, needs=50, tail=True),
        Column("passage", 0),
    )


def passage_text(passage: Passage) -> str:
    """Return a passage in full."""
    return "\n\n".join(printable(part) for part in (passage.title, passage.text) if part)


def reading_markdown(reading: Reading) -> list[str]:
    """Return lines of Markdown that tell of the candidates and their summaries."""
    lines = [
        "",
        "## Passages",
        "",
        *(f"{p.rank}. {one_line(p.passage.title or p.passage.id)}" for p in reading.passages),
    ]
    for row, summary in zip(answer_table(reading)[0], reading.summaries, strict=False):
        _, valid, points, total, answer = row.cells
        told = f" (valid: {valid}, rank {points}, sum {total})" if valid else ""
        lines += ["", f"## Candidate: {answer}{told}", "", printable(summary)]
    return lines
