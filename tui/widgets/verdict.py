"""The parsed answer, set large, and whether it is right."""

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Digits, Static

#: What the large digits can draw; any other answer is set in bold type.
_LARGE = frozenset("0123456789+-.,$%ABCDEF/:")


class Verdict(Horizontal):
    """Shows nothing until there is an answer."""

    DEFAULT_CSS = """
    Verdict {
        height: auto; display: none; padding: 0 1;
        & > Digits { width: auto; display: none; color: $text-success; }
        & > Static { width: 1fr; text-style: bold; color: $text-success; }
        &.shown { display: block; }
        &.large > Digits { display: block; padding-right: 2; }
        &.wrong > Static, &.wrong > Digits { color: $text-error; }
        &.none > Static, &.stale > Static, &.stale > Digits { color: $text-warning; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[object, ...] | None = None

    def compose(self) -> ComposeResult:
        yield Digits("")
        yield Static("")

    def show(self, answer: str | None, *, correct: bool | None, gold: str | None, stale: bool) -> None:
        """Show an answer (None: the reply states none) and how it compares with the gold answer."""
        roomy = self.has_class("roomy")
        if self._shown == (answer, correct, gold, stale, roomy):
            return
        self._shown = (answer, correct, gold, stale, roomy)
        large = roomy and answer is not None and len(answer) <= 12 and _LARGE.issuperset(answer)
        judged = "" if correct is None else "right" if correct else f"wrong, it is {gold}"
        aged = "given with other exemplars" if stale else ""
        said = "" if large else "no answer in the reply" if answer is None else answer
        self.query_one(Digits).update(answer if large and answer else "")
        self.query_one(Static).update(Content("  ".join(part for part in (said, judged, aged) if part)))
        self.set_class(large, "large")
        self.set_class(correct is False, "wrong")
        self.set_class(answer is None, "none")
        self.set_class(stale, "stale")
        self.add_class("shown")

    def hide(self) -> None:
        """Show nothing."""
        self.remove_class("shown")
        self._shown = None
