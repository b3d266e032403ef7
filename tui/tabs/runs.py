"""The Runs tab: evaluations, their accuracy and their records, one of which opens in the Ask tab; trainings and their
loss."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message

from dqlore.core.text import one_line

from ..runs import FILTERS, Run, Training, filtered, find_runs, read_records
from ..widgets.scatter import Scatter
from ..widgets.table import Column, Row, Table

RUN_COLUMNS = (
    Column("run", 24),
    Column("dataset", 14),
    Column("method", 14),
    Column("n", 6, right=True),
    Column("accuracy, or loss of a training", 0),
)
RECORD_COLUMNS = (
    Column("", 5),
    Column("id", 12),
    Column("gold", 8, right=True),
    Column("said", 8, right=True),
    Column("question", 0),
)


class RunsTab(Vertical):
    """Lists the runs of a folder."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f", "filter", "All, wrong, flipped"),
        Binding("b", "baseline", "Compare with this run"),
        Binding("r", "reload", "Look again"),
    ]

    @dataclass
    class Chosen(Message):
        """The question of a record is to be opened in the Ask tab."""

        record: dict[str, Any]

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self._runs: dict[str, Run | Training] = {}
        self._records: list[dict[str, Any]] = []
        self._shown: list[dict[str, Any]] = []
        self._baseline: Run | None = None
        self._filter = FILTERS[0]

    def compose(self) -> ComposeResult:
        empty = f"no runs in {self._folder}: dqlore eval --out {self._folder}/NAME makes one"
        yield Table(*RUN_COLUMNS, empty=one_line(empty), id="runs", classes="pane")
        yield Table(*RECORD_COLUMNS, empty="Enter on a run shows its records", id="records", classes="pane")
        yield Scatter(id="losses", classes="pane")

    def on_mount(self) -> None:
        self.query_one("#losses").display = False
        self._titles()
        self.action_reload()

    def action_reload(self) -> None:
        """Read the folder again."""
        self._runs = {str(run.path): run for run in find_runs(self._folder)}
        rows = [
            Row(
                key,
                tuple(map(one_line, (run.path.name, *run.columns))),
                marked=run is self._baseline,
            )
            for key, run in self._runs.items()
        ]
        self.query_one("#runs", Table).set_rows(rows)

    def action_filter(self) -> None:
        """Show all records, then the wrong ones, then those that flipped against the baseline."""
        self._filter = FILTERS[(FILTERS.index(self._filter) + 1) % len(FILTERS)]
        self._list()

    def action_baseline(self) -> None:
        """Take the run under the cursor as the one that others are compared with."""
        run = self._runs.get(self.query_one("#runs", Table).key or "")
        if isinstance(run, Run):
            self._baseline = run
            self._list()

    def on_table_opened(self, event: Table.Opened) -> None:
        event.stop()
        if event.table.id == "runs":
            run = self._runs[event.key]
            self.query_one("#losses").display = isinstance(run, Training)
            self.query_one("#records").display = isinstance(run, Run)
            if isinstance(run, Training):
                self._draw(run)
                return
            self._records = read_records(run)
            self._list()
            self.query_one("#records", Table).focus()
        else:
            self.post_message(self.Chosen(self._shown[int(event.key)]))

    def _draw(self, run: Training) -> None:
        import numpy as np  # not at the top: the first frame does not wait for it

        losses = self.query_one("#losses", Scatter)
        losses.border_title = Content(f"{one_line(run.path.name)}: {one_line(run.fall)}")
        losses.clear()
        if run.losses:
            ends = {0: f"{run.losses[0][1]:.2f}", len(run.losses) - 1: f"{run.losses[-1][1]:.2f}"}
            losses.show(np.array(run.losses), [(at, text, "bold $text-primary") for at, text in ends.items()])

    def _list(self) -> None:
        other = read_records(self._baseline) if self._baseline and self._filter == "flipped" else []
        self._shown = filtered(self._records, self._filter, other)
        rows = [
            Row(
                str(position),
                (
                    "right" if row.get("correct") else "wrong",
                    *(one_line(str(row.get(name) or "")) for name in ("id", "gold", "predicted", "question")),
                ),
                ("up" if row.get("correct") else "down", "muted"),
            )
            for position, row in enumerate(self._shown)
        ]
        self.query_one("#records", Table).set_rows(rows)
        self._titles()

    def _titles(self) -> None:
        against = f", compared with {one_line(self._baseline.path.name)}" if self._baseline else ""
        self.query_one("#runs").border_title = Content(f"Runs{against}")
        shown = f"Records: {self._filter}, {len(self._shown)} of {len(self._records)}"
        self.query_one("#records").border_title = Content(shown if self._records else "Records")
