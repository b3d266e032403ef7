"""The Pool tab: browse the exemplars, or search them by their words."""

from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input

from dqlore.core.exemplars import Exemplar, Pool
from dqlore.core.text import one_line

from ..views import exemplar_text
from ..widgets.stream import StreamPane
from ..widgets.table import Column, Row, Table

#: Exemplars listed while nothing is searched for, and hits of a search.
BROWSED, HITS = 5000, 200


class PoolTab(Vertical):
    """Shows a pool. The search itself is the app's: it runs in a thread."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("a", "ask", "Ask this question")]

    @dataclass
    class Searched(Message):
        """The search text has changed."""

        text: str

    @dataclass
    class Chosen(Message):
        """An exemplar's own question is to be asked."""

        exemplar: Exemplar

    def __init__(self) -> None:
        super().__init__()
        self._pool: Pool | None = None
        self._by_id: dict[str, Exemplar] = {}

    def compose(self) -> ComposeResult:
        yield Input(placeholder="Search the pool by words (BM25)", id="search", classes="search")
        with Horizontal():
            yield Table(Column("id", 12), Column("answer", 10), Column("question", 0), id="pool", classes="pane")
            yield StreamPane("the exemplar under the cursor", id="pool-detail", classes="pane")

    def on_mount(self) -> None:
        self.query_one("#pool").border_title = Content("Pool: loading")
        self.query_one("#pool-detail").border_title = Content("Exemplar")

    def show(self, pool: Pool) -> None:
        """Show a pool from its first exemplar on."""
        self._pool = pool
        self._by_id = {exemplar.id: exemplar for exemplar in pool}
        self.browse()

    def browse(self) -> None:
        """List the pool in its own order."""
        if self._pool is not None:
            shown = self._pool[:BROWSED]
            rest = f", the first {BROWSED} listed" if len(self._pool) > BROWSED else ""
            self._list(shown, f"Pool: {len(self._pool)} exemplars of {one_line(self._pool.source)}{rest}")

    def list_hits(self, text: str, hits: list[Exemplar]) -> None:
        """List what a search found, unless the search text has changed since."""
        if text == self.query_one(Input).value:
            self._list(hits, f"Pool: {len(hits)} with these words" if hits else "Pool: no exemplar has these words")

    def exemplar(self, key: str | None) -> Exemplar | None:
        return None if key is None else self._by_id.get(key)

    def _list(self, exemplars: "list[Exemplar] | tuple[Exemplar, ...]", title: str) -> None:
        table = self.query_one("#pool", Table)
        rows = [Row(e.id, (one_line(e.id), one_line(e.answer), one_line(e.question))) for e in exemplars]
        widest = max([2, *(min(16, cell_len(row.cells[0])) for row in rows[:500])])
        table.set_rows(rows, Column("id", widest), Column("answer", 8, right=True), Column("question", 0))
        table.go(0)
        table.border_title = Content(title)
        self._detail(table.key)

    def _detail(self, key: str | None) -> None:
        exemplar = self.exemplar(key)
        self.query_one("#pool-detail", StreamPane).show(exemplar_text(exemplar) if exemplar else "", from_top=True)

    def on_input_changed(self, event: Input.Changed) -> None:
        self.post_message(self.Searched(event.value))

    def on_input_submitted(self) -> None:
        self.query_one("#pool", Table).focus()

    def on_table_moved(self, event: Table.Moved) -> None:
        self._detail(event.key)

    def action_ask(self) -> None:
        exemplar = self.exemplar(self.query_one("#pool", Table).key)
        if exemplar is not None:
            self.post_message(self.Chosen(exemplar))
