"""Taking results out of the app: the clipboard, and files."""

import json
import time
from pathlib import Path

from textual.app import App

from dqlore.core.files import write_atomic
from dqlore.core.settings import Settings
from dqlore.core.text import one_line, printable

from .runner import Runner
from .session import OpenParts, Session
from .setup import Setup
from .state import AskState
from .views import markdown
from .widgets.stream import StreamPane
from .widgets.table import Table


class SharingApp(App[None]):
    """An app with a session and a question, which can be copied and exported."""

    def __init__(self, settings: Settings, open_parts: OpenParts | None = None) -> None:
        super().__init__()
        self.setup = Setup.of(settings)
        self.state = AskState()
        self.session = Session(settings, self._progressed, open_parts)
        self.runner = Runner(self.session, self._changed)

    def _progressed(self, stage: str, done: int, total: int | None, /) -> None:
        raise NotImplementedError

    def _changed(self, state: AskState) -> None:
        raise NotImplementedError

    def action_copy(self) -> None:
        """Copy what has the focus: the id of an exemplar, else the text of a pane, else the answer."""
        focused = self.focused
        if isinstance(focused, Table) and focused.key is not None:
            self.copy(focused.key, "id")
        elif isinstance(focused, StreamPane) and focused.text:
            self.copy(focused.text, "text")
        else:
            self.action_copy_answer()

    def action_copy_answer(self) -> None:
        answered = self.state.answered
        self.copy(answered.answer or answered.completion.text if answered else "", "answer")

    def action_copy_prompt(self) -> None:
        self.copy(self.state.prompt.prompt.text() if self.state.prompt else "", "prompt")

    def copy(self, text: str, what: str) -> None:
        """Put a text on the clipboard of the terminal, also through SSH, where it takes OSC 52."""
        if not text:
            self.notify(f"There is no {what} yet", severity="warning", markup=False)
            return
        self.copy_to_clipboard(text)
        self.notify(f"Copied the {what}: {one_line(text)[:60]}", markup=False)

    def action_export(self, form: str) -> None:
        """Write the query as the JSON document of `dqlore ask --json`, or as Markdown."""
        document = self.state.document(self.session.parts.all_warnings() if self.state.selected else [])
        if document is None:
            self.notify("There is nothing to export yet", severity="warning", markup=False)
            return
        as_json = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
        path = Path(f"dqlore-{time.strftime('%Y%m%d-%H%M%S')}.{'json' if form == 'json' else 'md'}")
        try:
            write_atomic(path, as_json if form == "json" else markdown(self.state))
        except OSError as error:
            self.complain(f"{path}: cannot be written: {error.strerror}")
        else:
            self.notify(f"Written: {path.resolve()}", markup=False)

    def complain(self, message: str) -> None:
        """Show an error with what to do; the app goes on."""
        self.notify(printable(message), title="Error", severity="error", timeout=15, markup=False)
