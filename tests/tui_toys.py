"""What the interface is tested with: toy models that stream at a known pace, and an app that uses them."""

import asyncio
import unicodedata
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from pathlib import Path

from textual.pilot import Pilot

from dqlore.core import Parts, Pool, load_settings
from dqlore.core.lm.base import Completion, Sampling
from dqlore.core.prompts import Prompt
from dqlore.tui.app import DqloreApp
from toys import ScriptedLM, ToyEncoder, toy_pool

QUESTION = "How many boats are 3 boats and 4 more boats?"
COT = "First there are 3 boats.\nThen 4 more boats come.\n3 + 4 = 7\nThe answer is 7."


class PacedLM(ScriptedLM):
    """Streams the given pieces with a pause after each; `failing` is raised after the last one."""

    def __init__(
        self,
        pieces: Callable[[Prompt], Sequence[str]],
        pause: float = 0.0,
        failing: Callable[[Prompt], Exception | None] = lambda _: None,
    ) -> None:
        super().__init__()
        self._pieces, self._pause, self._failing = pieces, pause, failing
        self.open_streams = 0
        self.finished = 0

    async def stream(self, prompt: Prompt, sampling: Sampling) -> AsyncGenerator[str | Completion, None]:
        self.prompts.append(prompt)
        self.open_streams += 1
        try:
            pieces = self._pieces(prompt)
            for piece in pieces:
                yield piece
                await asyncio.sleep(self._pause)
            if (error := self._failing(prompt)) is not None:
                raise error
            self.finished += 1
            yield Completion("".join(pieces), "stop", len(prompt.text().split()), len(pieces))
        finally:
            self.open_streams -= 1


def words(text: str) -> list[str]:
    """Split a reply into the pieces a model would stream."""
    return [word + " " for word in text.split(" ")]


def toy_app(
    folder: Path,
    lm: ScriptedLM | None = None,
    *,
    pool: Pool | None = None,
    dim: int = 64,
    question: str = "",
    **flags: object,
) -> DqloreApp:
    """Return an app on toy models that has its cache in `folder`."""
    flags.setdefault("cache", {"path": folder / "cache", "enabled": False})
    model = lm or ScriptedLM(lambda _: COT)

    def open_parts(settings, progress):  # type: ignore[no-untyped-def]
        return Parts(settings, progress, pool=pool or toy_pool(), encoder=ToyEncoder(dim), lm=model)

    return DqloreApp(load_settings(flags), question=question, open_parts=open_parts)


def drive(app: DqloreApp, test: Callable[[Pilot[None]], Awaitable[None]], size: tuple[int, int] = (120, 40)) -> None:
    """Run `test` on the app in a headless terminal of the given size."""

    async def run() -> None:
        app.animation_level = "none"
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await test(pilot)

    asyncio.run(run())


async def until(pilot: Pilot[None], condition: Callable[[], object], seconds: float = 10.0) -> None:
    """Wait until the condition holds; fails after `seconds`."""
    end = asyncio.get_running_loop().time() + seconds
    while not condition():
        assert asyncio.get_running_loop().time() < end, "this did not happen in time"
        await pilot.pause(0.01)
    await pilot.pause(0.06)  # one beat, so that streamed text is drawn
    await pilot.pause()


async def ask(pilot: Pilot[None], text: str = QUESTION, seconds: float = 10.0) -> None:
    """Type a question, ask it, and wait for its end."""
    app = pilot.app
    assert isinstance(app, DqloreApp)
    app.query_one("#question").text = text  # type: ignore[attr-defined]
    await pilot.press("enter")
    await until(pilot, lambda: app.state.query.question == text.strip() and not app.state.phase.running, seconds)


def screen_lines(app: DqloreApp) -> list[str]:
    """Return what the terminal shows, line by line."""
    strips = app.screen._compositor.render_strips()
    return ["".join(segment.text for segment in strip) for strip in strips]


def cell_width(text: str) -> int:
    """Return the width of a text in terminal cells, counted apart from the app."""
    return sum(
        0 if unicodedata.combining(c) or c in "\u200d\ufe0f" else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )
