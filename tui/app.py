"""The application: keys, tabs, notices, and the workers that run questions."""

import time
from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

from dqlore.core.errors import DqloreError, UsageError
from dqlore.core.events import Query
from dqlore.core.methods import METHODS
from dqlore.core.settings import Settings
from dqlore.core.text import one_line, printable
from textual import work
from textual.app import App, ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Footer, Static, TabbedContent, TabPane, TextArea
from textual.worker import Worker

from . import views
from .help import HELP
from .runner import Runner
from .screens.detail import TextScreen
from .screens.methods import MethodScreen
from .session import OpenParts, Session
from .setup import Setup
from .state import AskState, Phase
from .tabs.ask import AskTab
from .widgets.knob import Knob
from .widgets.question import QuestionBox
from .widgets.stream import StreamPane
from .widgets.table import Table
from .widgets.verdict import Verdict


class DqloreApp(App[None]):
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
        Binding("ctrl+o", "export('json')", "Export", priority=True),
        Binding("f1", "help", "Help"),
        Binding("ctrl+q", "quit", "Quit", priority=True),
        Binding("y", "copy", "Copy", show=False),
    ]

    class Progressed(Message):
        """Opening a part has come further; sent from the thread that opens it."""

        def __init__(self, stage: str, done: int, total: int | None) -> None:
            super().__init__()
            self.stage, self.done, self.total = stage, done, total

    def __init__(
        self, settings: Settings, *, question: str = "", open_parts: OpenParts | None = None, load: bool = True
    ) -> None:
        super().__init__()
        self.setup = Setup.of(settings)
        self.state = AskState()
        self.session = Session(settings, self._progressed, open_parts)
        self.runner = Runner(self.session, self._changed)
        self._question = question
        self._load_early = load
        self._status = "loading"
        self._told: set[str] = set()
        self._asking: Worker[None] | None = None
        self._gold: tuple[str, Query, str] | None = None

    def compose(self) -> ComposeResult:
        with TabbedContent(id="tabs"), TabPane("Ask", id="ask"):
            yield AskTab(self._question)
        yield Static(id="status", markup=False)
        yield Footer(show_command_palette=True)

    def on_mount(self) -> None:
        self.tab.show_setup(self.setup)
        self.query_one(QuestionBox).focus()
        self._show_status()
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        """Start to load once the first frame is drawn; imports would hold it up."""
        if self._load_early:
            self.load()
        if self._question:
            self.ask(self._question)

    @property
    def tab(self) -> AskTab:
        return self.query_one(AskTab)

    # --- loading -----------------------------------------------------------------------------------------------

    @work(group="load")
    async def load(self) -> None:
        """Open pool, index and models in a thread."""
        try:
            await self.runner.load(self.setup)
        except DqloreError as error:
            self._complain(str(error))
            self._status = "not loaded: see the notice; the next question tries again"
        except Exception as error:  # a broken model folder must not end the app
            self._complain(f"unexpected {type(error).__name__}: {error}; `dqlore doctor` tells more")
            self._status = "not loaded"
        else:
            self._status = self.session.describe(self.setup)
            self._warn(self.session.parts.all_warnings())
        self._show_status()

    def _progressed(self, stage: str, done: int, total: int | None, /) -> None:
        self.post_message(self.Progressed(stage, done, total))

    def on_dqlore_app_progressed(self, event: Progressed) -> None:
        self._status = f"loading: {event.stage} {event.done}" + (f"/{event.total}" if event.total else "")
        self._show_status()

    def _show_status(self) -> None:
        self.query_one("#status", Static).update(Content(one_line(self._status)))

    # --- asking ------------------------------------------------------------------------------------------------

    def on_question_box_asked(self, event: QuestionBox.Asked) -> None:
        self.ask(event.text)

    def ask(self, text: str) -> None:
        """Ask a question; one that is still running is cancelled."""
        text = text.strip()
        if not text:
            self.notify("Type a question first", severity="warning", markup=False)
            return
        self.query_one(QuestionBox).remember(text)
        query, gold = Query(text), None
        if self._gold and self._gold[0] == text:  # options and gold answer belong to the unchanged text
            query, gold = self._gold[1:]
        self._asking = self._ask(query, gold)

    @work(exclusive=True, group="ask")
    async def _ask(self, query: Query, gold: str | None) -> None:
        await self.runner.ask(self.state, query, self.setup, gold=gold)

    @work(exclusive=True, group="ask")
    async def _answer(self) -> None:
        await self.runner.answer_again(self.state)

    def _changed(self, state: AskState) -> None:
        if not self.is_running:
            return
        if state is self.state:
            self.tab.show(state)
            self.refresh_bindings()
        if not state.phase.running:
            if state.phase is Phase.FAILED:
                self._complain(state.error)
            self._warn([*state.notices, *self.session.parts.all_warnings()] if state.found else state.notices)

    # --- what if -----------------------------------------------------------------------------------------------

    def on_knob_stepped(self, event: Knob.Stepped) -> None:
        if event.name == "method":
            names = list(METHODS)
            position = names.index(self.setup.method) + event.step
            self.choose_method(names[position % len(names)])
        else:
            self.choose(self.setup.stepped(event.name, event.step))

    def choose_method(self, method: str) -> None:
        """Take a method for the next question."""
        self.setup = self.setup.with_method(method)
        self.tab.show_setup(self.setup)

    def choose(self, setup: Setup) -> None:
        """Take other settings, and rank what is there by them at once."""
        state = self.state
        self.setup = setup
        self.tab.show_setup(setup)
        if state.reranked is None or state.phase in (Phase.LOADING, Phase.FIRST_QUERY, Phase.RETRIEVING):
            return
        if state.found is None or setup.method != state.setup.method:
            self.notify("This takes effect with the next question", markup=False)
            return
        try:
            found = state.found
            if setup.m > len(found.candidates):
                found = self.session.more_candidates(state.query, state.known_cot, found, setup)
            state.rerank(setup, self.session.rerank_params(setup), found)
        except UsageError as error:
            self._complain(str(error))
        self.tab.show(state)

    # --- actions -----------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "answer_again" and (self.state.phase.running or not self.state.exemplars):
            return None  # shown, but dim
        return True

    def action_stop(self) -> None:
        """Cancel what runs; otherwise go back to the question."""
        if self.state.phase.running and self._asking is not None:
            self.workers.cancel_group(self, "ask")
        else:
            self.query_one(QuestionBox).focus()

    def action_interrupt(self) -> None:
        """Ctrl+C: stop what runs, else copy what is selected, else say how to quit."""
        box = self.focused
        if self.state.phase.running:
            self.action_stop()
        elif isinstance(box, TextArea) and box.selected_text:
            self._copy(box.selected_text, "selection")
        elif selected := self.screen.get_selected_text():
            self._copy(selected, "selection")
        else:
            self.notify("Nothing is running. Ctrl+Q quits.", markup=False)

    def action_answer_again(self) -> None:
        if self.state.phase.running or not self.state.exemplars:
            self.notify("First ask a question", severity="warning", markup=False)
        else:
            self._asking = self._answer()

    @work
    async def action_pick_method(self) -> None:
        chosen = await self.push_screen_wait(MethodScreen(self.setup.method))
        if chosen is not None:
            self.choose_method(chosen)

    def action_help(self) -> None:
        self.push_screen(TextScreen("Help", HELP))

    def on_table_opened(self, event: Table.Opened) -> None:
        text = self.tab.exemplar(event.key)
        if text is not None:
            self.push_screen(TextScreen(f"Exemplar {one_line(event.key)}", text, copies=event.key))

    def action_copy(self) -> None:
        """Copy what has the focus: the id of an exemplar, else the text of a pane, else the answer."""
        focused = self.focused
        if isinstance(focused, Table) and focused.key is not None:
            self._copy(focused.key, "id")
        elif isinstance(focused, StreamPane) and focused.text:
            self._copy(focused.text, "text")
        else:
            self.action_copy_answer()

    def action_copy_answer(self) -> None:
        answered = self.state.answered
        self._copy(answered.answer or answered.completion.text if answered else "", "answer")

    def action_copy_prompt(self) -> None:
        self._copy(self.state.prompt.prompt.text() if self.state.prompt else "", "prompt")

    def _copy(self, text: str, what: str) -> None:
        if not text:
            self.notify(f"There is no {what} yet", severity="warning", markup=False)
            return
        self.copy_to_clipboard(text)
        self.notify(f"Copied the {what}: {one_line(text)[:60]}", markup=False)

    def action_export(self, form: str) -> None:
        """Write the query as the JSON document of `dqlore ask --json`, or as Markdown."""
        import json

        from dqlore.core.files import write_atomic

        document = self.state.document(self.session.parts.all_warnings() if self.state.reranked else [])
        if document is None:
            self.notify("There is nothing to export yet", severity="warning", markup=False)
            return
        path = Path(f"dqlore-{time.strftime('%Y%m%d-%H%M%S')}.{'json' if form == 'json' else 'md'}")
        whole = (
            json.dumps(document, ensure_ascii=False, indent=1) + "\n"
            if form == "json"
            else views.markdown(self.state)
        )
        try:
            write_atomic(path, whole)
        except OSError as error:
            self._complain(f"{path}: cannot be written: {error.strerror}")
        else:
            self.notify(f"Written: {path.resolve()}", markup=False)

    def action_toggle_theme(self) -> None:
        self.theme = "textual-light" if self.current_theme.dark else "textual-dark"

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        yield from super().get_system_commands(screen)
        yield SystemCommand("Answer again", "The final query with the exemplars shown", self.action_answer_again)
        yield SystemCommand("Choose method", "How exemplars are chosen", self.action_pick_method)
        yield SystemCommand("Copy answer", "To the clipboard", self.action_copy_answer)
        yield SystemCommand("Copy prompt", "The exact final prompt", self.action_copy_prompt)
        yield SystemCommand("Export as JSON", "As `dqlore ask --json`", lambda: self.action_export("json"))
        yield SystemCommand("Export as Markdown", "To read and share", lambda: self.action_export("markdown"))
        yield SystemCommand("Light or dark", "Switch the theme", self.action_toggle_theme)

    # --- notices -----------------------------------------------------------------------------------------------

    def _complain(self, message: str) -> None:
        self.notify(printable(message), title="Error", severity="error", timeout=15, markup=False)

    def _warn(self, messages: Iterable[str]) -> None:
        for message in messages:
            if message not in self._told:
                self._told.add(message)
                self.notify(printable(message), severity="warning", markup=False)

    def on_resize(self) -> None:
        self.query_one(Verdict).set_class(self.size.height >= 30, "roomy")
