"""The application: keys, tabs, notices, and the workers that run questions."""

import asyncio
import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import work
from textual.app import ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Footer, Static, TabbedContent, TabPane, TextArea

from dqlore.core.errors import DqloreError, UsageError
from dqlore.core.events import Query
from dqlore.core.methods import METHODS
from dqlore.core.settings import Settings
from dqlore.core.text import one_line, printable

from .help import HELP
from .screens.detail import TextScreen
from .screens.methods import MethodScreen
from .session import OpenParts
from .setup import Setup
from .sharing import SharingApp
from .state import AskState, Phase
from .tabs.ask import AskTab
from .tabs.compare import CompareTab
from .tabs.map import MapTab
from .tabs.passages import PassagesTab
from .tabs.pool import HITS, PoolTab
from .tabs.prompt import PromptTab
from .tabs.runs import RunsTab
from .widgets.knob import Knob
from .widgets.question import QuestionBox
from .widgets.table import Table

#: The tabs in their order; F2 opens the first, F3 the second and so on.
TABS = ("Ask", "Prompt", "Pool", "Map", "Compare", "Runs", "Passages")
RUNS = Path("runs")


class DqloreApp(SharingApp):
    """`dqlore tui`. `open_parts` lets tests bring their own models."""

    TITLE = "dqlore"
    CSS_PATH = "app.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (60, "-normal"), (150, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (15, "-low"), (34, "-high")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "stop", "Cancel"),
        Binding("ctrl+c", "interrupt", "Stop", show=False, priority=True),
        Binding("ctrl+r", "answer_again", "Answer again", priority=True),
        Binding("ctrl+t", "pick_method", "Method", priority=True),
        Binding("ctrl+e", "compare", "Compare", priority=True),
        Binding("ctrl+o", "export('json')", "Export", show=False, priority=True),
        Binding("f1", "help", "Help"),
        *(Binding(f"f{i}", f"tab('{tab}')", tab, show=False, priority=True) for i, tab in enumerate(TABS, start=2)),
        Binding("ctrl+q", "quit", "Quit", priority=True),
        Binding("y", "copy", "Copy", show=False),
    ]

    class Progressed(Message):
        """Opening a part has come further; sent from the thread that opens it."""

        def __init__(self, stage: str, done: int, total: int | None) -> None:
            super().__init__()
            self.stage, self.done, self.total = stage, done, total

    def __init__(self, settings: Settings, *, question: str = "", open_parts: OpenParts | None = None) -> None:
        super().__init__(settings, open_parts)
        self.other = AskState()
        self._question = question
        self._status = "loading"
        self._told: set[str] = set()
        self._known: tuple[Query, str] | None = None

    def compose(self) -> ComposeResult:
        with TabbedContent(id="tabs"):
            for name in TABS:
                with TabPane(name, id=name):
                    if name == "Ask":
                        yield AskTab(self._question)
        yield Static(id="status", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        self._show_setup()
        self.query_one(QuestionBox).focus()
        self._show_status(self._status)
        self.set_timer(0.1, self._begin)

    async def on_unmount(self) -> None:
        await self.session.aclose()

    async def _begin(self) -> None:
        """Once the first frame is drawn, fill the other tabs and start to load: both would hold it up."""
        tabs = (PromptTab(), PoolTab(), MapTab(), CompareTab(), RunsTab(RUNS), PassagesTab())
        for name, tab in zip(TABS[1:], tabs, strict=True):
            await self.query_one(f"#{name}", TabPane).mount(tab)
        self.load()
        if self._question:
            self.ask(self._question)

    @property
    def ask_tab(self) -> AskTab:
        return self.query_one(AskTab)

    # Loading

    @work(group="load")
    async def load(self) -> None:
        """Open pool, index and models in a thread."""
        try:
            await self.runner.load(self.setup)
        except DqloreError as error:
            self.complain(str(error))
            self._show_status("not loaded; the next question tries again")
        except Exception as error:  # a broken model folder must not end the app
            self.complain(f"unexpected {type(error).__name__}: {error}; `dqlore doctor` tells more")
            self._show_status("not loaded; the next question tries again")
        else:
            self._show_status(await asyncio.to_thread(self.session.describe, self.setup))
            self._warn(self.session.parts.all_warnings())

    def _progressed(self, stage: str, done: int, total: int | None, /) -> None:
        self.post_message(self.Progressed(stage, done, total))

    def on_dqlore_app_progressed(self, event: Progressed) -> None:
        self._show_status(f"loading: {event.stage} {event.done}" + (f"/{event.total}" if event.total else ""))
        if event.stage == "pool":
            self.query_one(PoolTab).show(self.session.parts.pool)

    def _show_status(self, text: str) -> None:
        self._status = text
        self.query_one("#status", Static).update(Content(one_line(text)))

    # Asking

    def on_question_box_asked(self, event: QuestionBox.Asked) -> None:
        self.ask(event.text)

    def ask(self, text: str) -> None:
        """Ask a question; one that is still running is cancelled."""
        text = text.strip()
        if not text:
            self.notify("Type a question first", severity="warning", markup=False)
            return
        self.query_one(QuestionBox).remember(text)
        # Options and gold answer belong to the very text they came with.
        query, gold = self._known if self._known and self._known[0].question == text else (Query(text), None)
        self._ask(query, gold)

    def put(self, query: Query, gold: str) -> None:
        """Put a question whose answer is known into the box, ready to be asked."""
        self._known = query, gold
        self.query_one(TabbedContent).active = "Ask"
        box = self.query_one(QuestionBox)
        box.text = printable(query.question)
        box.focus()
        self._known = Query(box.text.strip(), query.options), gold

    @work(exclusive=True, group="ask")
    async def _ask(self, query: Query, gold: str | None) -> None:
        await self.runner.ask(self.state, query, self.setup, gold=gold)

    @work(exclusive=True, group="ask")
    async def _answer(self) -> None:
        await self.runner.answer_again(self.state)

    @work(exclusive=True, group="ask")
    async def _compare(self, method: str) -> None:
        await self.runner.compare(self.state, self.other, method)

    @property
    def running(self) -> bool:
        """Whether a question is under way."""
        return self.state.phase.running or self.other.phase.running

    def _changed(self, state: AskState) -> None:
        if not self.is_running:
            return
        if state is self.state:
            self.ask_tab.show(state)
        if state is self.other or not state.phase.running or state.setup.reads:
            self._show_tab()
        if not state.phase.running:
            self.refresh_bindings()
            if state.phase is Phase.FAILED:
                self.complain(state.error)
            self._warn([*state.notices, *(self.session.parts.all_warnings() if state.selected else ())])

    # What if

    def on_knob_stepped(self, event: Knob.Stepped) -> None:
        if event.name == "method":
            names = list(METHODS)
            self.choose_method(names[(names.index(self.setup.method) + event.step) % len(names)])
        else:
            self.choose(self.setup.stepped(event.name, event.step))

    def choose_method(self, method: str) -> None:
        """Take a method for the next question."""
        self.setup = self.setup.with_method(method)
        self._show_setup()

    def _show_setup(self) -> None:
        """Show the controls' values, and the tab for passages where the method reads some."""
        self.ask_tab.show_setup(self.setup)
        tabs = self.query_one(TabbedContent)
        if self.setup.reads:
            tabs.show_tab("Passages")
            return
        if tabs.active == "Passages":
            tabs.active = "Ask"
            self.query_one(QuestionBox).focus()
        tabs.hide_tab("Passages")

    def choose(self, setup: Setup) -> None:
        """Take other settings, and rank what is there by them at once."""
        state, self.setup = self.state, setup
        self.ask_tab.show_setup(setup)
        if state.reranked is None or state.phase in (Phase.LOADING, Phase.FIRST_QUERY, Phase.RETRIEVING):
            return
        if state.found is None or setup.method != state.setup.method:
            self.notify("This takes effect with the next question", markup=False)
            return
        found = state.found
        try:
            if setup.m > len(found.candidates):
                found = self.session.more_candidates(state.query, state.known_cot, found, setup)
            state.rerank(setup, self.session.rerank_params(setup), found)
        except UsageError as error:
            self.complain(str(error))
        self.ask_tab.show(state)
        self._show_tab()

    # The other tabs

    def on_tabbed_content_tab_activated(self) -> None:
        self._show_tab()

    def _show_tab(self) -> None:
        """Draw the tab that is seen; the others are drawn when they are opened."""
        active = self.query_one(TabbedContent).active
        if active == "Prompt":
            self._show_prompt()
        elif active == "Map":
            self.query_one(MapTab).show(self.state)
        elif active == "Passages":
            self.query_one(PassagesTab).show(self.state.reading)
        elif active == "Compare":
            self.query_one(CompareTab).show(self.state, self.other)

    @work(exclusive=True, group="prompt")
    async def _show_prompt(self) -> None:
        """Show the prompt that was sent, or the one that the exemplars as they stand would give."""
        state = self.state
        built = state.prompt if not state.stale else None
        if built is None and state.reranked and not state.phase.running:
            built = await asyncio.to_thread(self.session.prompt, state.setup, state.query, state.exemplars)
        self.query_one(PromptTab).show(built)

    @work(exclusive=True, group="search")
    async def on_pool_tab_searched(self, event: PoolTab.Searched) -> None:
        tab = self.query_one(PoolTab)
        if not event.text.strip():
            tab.browse()
            return
        tab.list_hits(event.text, await asyncio.to_thread(self.session.search, event.text, HITS))

    def on_pool_tab_chosen(self, event: PoolTab.Chosen) -> None:
        self.put(Query(event.exemplar.question, event.exemplar.options), event.exemplar.answer)

    def on_runs_tab_chosen(self, event: RunsTab.Chosen) -> None:
        record = event.record
        options = record.get("options")
        choices = tuple(map(str, options)) if isinstance(options, list) else ()
        self.put(Query(record["question"], choices), str(record.get("gold") or ""))

    def on_table_opened(self, event: Table.Opened) -> None:
        # Hand-written exemplars are in no pool, so those of the question are looked at first.
        shown = (e for e in (*self.state.exemplars, *self.other.exemplars) if e.id == event.key)
        exemplar = next(shown, None) or self.query_one(PoolTab).exemplar(event.key)
        if exemplar is not None:
            text = self.ask_tab.text_of(exemplar)
            self.push_screen(TextScreen(f"Exemplar {one_line(event.key)}", text, copies=event.key))

    # Actions

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("answer_again", "compare") and (self.running or not self.state.selected):
            return None  # shown, but dim
        if action == "tab" and parameters == ("Passages",):
            return self.setup.reads
        return True

    def action_stop(self) -> None:
        """Cancel what runs; otherwise go back to the question."""
        if self.running:
            self.workers.cancel_group(self, "ask")
        else:
            self.query_one(TabbedContent).active = "Ask"
            self.query_one(QuestionBox).focus()

    def action_interrupt(self) -> None:
        """Ctrl+C: stop what runs, else copy what is selected, else say how to quit."""
        box = self.focused
        if self.running:
            self.action_stop()
        elif isinstance(box, TextArea) and box.selected_text:
            self.copy(box.selected_text, "selection")
        elif selected := self.screen.get_selected_text():
            self.copy(selected, "selection")
        else:
            self.notify("Nothing is running. Ctrl+Q quits.", markup=False)

    def action_answer_again(self) -> None:
        self._answer()

    @work
    async def action_pick_method(self) -> None:
        chosen = await self.push_screen_wait(MethodScreen(self.setup.method))
        if chosen is not None:
            self.choose_method(chosen)

    @work
    async def action_compare(self) -> None:
        chosen = await self.push_screen_wait(MethodScreen(self.setup.method, "Compare with"))
        if chosen is not None:
            self.query_one(TabbedContent).active = "Compare"
            self._compare(chosen)

    def action_tab(self, name: str) -> None:
        self.query_one(TabbedContent).active = name
        self.screen.focus_next(f"#{name} *")

    def action_help(self) -> None:
        self.push_screen(TextScreen("Help", HELP))

    def action_toggle_theme(self) -> None:
        self.theme = "textual-light" if self.current_theme.dark else "textual-dark"

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        yield from super().get_system_commands(screen)
        if self.check_action("answer_again", ()):
            yield SystemCommand("Answer again", "The final query with the exemplars shown", self.action_answer_again)
            yield SystemCommand("Compare methods", "The same question by another method", self.action_compare)
        yield SystemCommand("Choose method", "How exemplars are chosen", self.action_pick_method)
        yield SystemCommand("Copy answer", "To the clipboard", self.action_copy_answer)
        yield SystemCommand("Copy prompt", "The exact final prompt", self.action_copy_prompt)
        yield SystemCommand("Export as JSON", "As `dqlore ask --json`", lambda: self.action_export("json"))
        yield SystemCommand("Export as Markdown", "To read and share", lambda: self.action_export("markdown"))
        yield SystemCommand("Light or dark", "Switch the theme", self.action_toggle_theme)

    def _fatal_error(self) -> None:
        """End after a bug with a plain traceback: one with local variables could show a key."""
        self._exit_renderables.append(Text(printable(traceback.format_exc())))
        self._close_messages_no_wait()

    def _warn(self, messages: Iterable[str]) -> None:
        for message in messages:
            if message not in self._told:
                self._told.add(message)
                self.notify(printable(message), severity="warning", markup=False)
