"""How the interface keeps up: a key while text streams, and a redraw after a setting has changed.

python bench/tui.py prints the median and the 95th percentile in milliseconds, in a headless terminal of 120 x 40.

key        from a key event to the frame that shows it, while a model streams 300 tokens a second
re-rank    from a change of dim to the frame with the new tables, 64 candidates of 384 dimensions
resize     from a new size of the terminal to the frame that fills it, after 60 questions
stream     processor time to show a reply of 4,000 and of 16,000 pieces, which should grow as the pieces do
"""

import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from textual import events
from textual.pilot import Pilot
from tui_toys import QUESTION, PacedLM, ask, toy_app, until

from dqlore.tui.app import DqloreApp
from toys import ScriptedLM, toy_pool

RATE, KEYS, CHANGES = 300, 60, 40


class SteadyLM(PacedLM):
    """Streams words by the clock: as many as are due, however late the loop is."""

    async def stream(self, prompt, sampling):  # type: ignore[no-untyped-def]
        started, sent = time.perf_counter(), 0
        while time.perf_counter() - started < 60:
            due = int((time.perf_counter() - started) * RATE)
            for _ in range(due - sent):
                yield "word " if sent % 12 else "word\n"
                sent += 1
            await asyncio.sleep(1 / RATE)


async def frame(app: DqloreApp) -> None:
    """Wait until everything that waits to be drawn has been drawn."""
    drawn = asyncio.Event()
    app.call_after_refresh(drawn.set)
    await drawn.wait()


async def key_latency(pilot: Pilot[None]) -> list[float]:
    app = pilot.app
    assert isinstance(app, DqloreApp)
    box = app.query_one("#question")
    box.text = QUESTION  # type: ignore[attr-defined]
    await pilot.press("enter")
    await until(pilot, lambda: app.state.cot.text)
    times = []
    for _ in range(KEYS):
        await asyncio.sleep(0.03)
        before, started = len(box.text), time.perf_counter()  # type: ignore[attr-defined]
        app.post_message(events.Key("x", "x"))
        while len(box.text) == before:  # type: ignore[attr-defined]
            await asyncio.sleep(0)
        await frame(app)
        times.append(time.perf_counter() - started)
    app.action_stop()
    await until(pilot, lambda: not app.running)
    return times


async def redraw(pilot: Pilot[None]) -> list[float]:
    app = pilot.app
    assert isinstance(app, DqloreApp)
    await ask(pilot)
    times = []
    for change in range(CHANGES):
        started = time.perf_counter()
        app.choose(app.setup.stepped("dim", -1 if change % 8 < 4 else 1))
        await frame(app)
        times.append(time.perf_counter() - started)
    return times


async def resize(pilot: Pilot[None]) -> list[float]:
    """Time what a new size costs after 60 questions."""
    for i in range(60):
        await ask(pilot, f"{QUESTION} [{i}]")
    times = []
    for _ in range(10):
        for size in ((100, 30), (200, 60), (60, 20), (120, 40)):
            started = time.perf_counter()
            await pilot.resize_terminal(*size)
            times.append(time.perf_counter() - started)
    return times


def measured(app: DqloreApp, test) -> list[float]:  # type: ignore[no-untyped-def]
    async def run() -> list[float]:
        async with app.run_test(size=(120, 40)) as pilot:
            await pilot.pause()
            return list(await test(pilot))

    return asyncio.run(run())


def stream_seconds(folder: Path, pieces: int) -> float:
    lm = PacedLM(lambda _: ["| 1 |\n"] * pieces)
    app = toy_app(folder, lm, select={"method": "bm25"})

    async def test(pilot: Pilot[None]) -> list[float]:
        started = time.process_time()
        await ask(pilot)
        return [time.process_time() - started]

    return measured(app, test)[0]


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        keys = measured(toy_app(folder, SteadyLM(lambda _: [])), key_latency)
        wide = toy_app(folder, ScriptedLM(lambda _: "The answer is 7."), pool=toy_pool(200), dim=384)
        changes = measured(wide, redraw)
        answering = toy_app(folder, ScriptedLM(lambda _: "3 + 4 = 7\nThe answer is 7."))
        sizes = measured(answering, resize)
        streams = {pieces: stream_seconds(folder, pieces) for pieces in (4000, 16000)}
    for label, times in (("key", keys), ("re-rank", changes), ("resize", sizes)):
        ordered = sorted(times)
        print(
            f"{label:8} median {statistics.median(times) * 1000:6.1f} ms   "
            f"95 % {ordered[int(len(ordered) * 0.95)] * 1000:6.1f} ms   of {len(times)}"
        )
    for pieces, seconds in streams.items():
        print(
            f"stream   {pieces:6} pieces {seconds:6.2f} s of processor time, {seconds / pieces * 1e6:.0f} us a piece"
        )


if __name__ == "__main__":
    main()
