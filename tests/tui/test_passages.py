"""Asking by sure: the tab with candidates, summaries and verdicts beside the passages."""

import json
import os
from pathlib import Path

from tui_toys import ask, drive, screen_lines, until

from dqlore.core import Parts, load_settings
from dqlore.core.errors import LMError
from dqlore.tui.app import DqloreApp
from dqlore.tui.state import Phase
from reading_toys import COLLECTION, QUESTION, judge, step
from toys import ScriptedLM, ToyEncoder, toy_pool

SNAPSHOT = Path(__file__).parent / "snapshots" / "passages-120x40.txt"


def reading_app(folder, lm, method="sure"):
    settings = load_settings({"cache": {"path": folder / "cache", "enabled": False}, "select": {"method": method}})

    def open_parts(settings, progress):
        parts = Parts(settings, progress, pool=toy_pool(), encoder=ToyEncoder(), lm=lm)
        parts.__dict__["passages"] = COLLECTION
        return parts

    return DqloreApp(settings, open_parts=open_parts)


def tab_shown(app):
    return app.query_one("#tabs").get_tab("Passages").display


def prefers_owl(prompt):
    return "1" if "Summary 1:\nthe owl" in prompt.context else "2"


def test_sure_has_a_tab_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    app = reading_app(tmp_path, judge(preferred=prefers_owl))

    async def test(pilot):
        assert tab_shown(app)
        await ask(pilot, QUESTION)
        assert app.state.phase is Phase.DONE
        assert app.state.answered.answer == "the owl"
        await pilot.press("f8")
        await pilot.pause(0.1)
        answers = app.query_one("#answers")
        assert [row.cells for row in answers.rows] == [
            ("1", "yes", "0", "1", "the heron"),
            ("2", "yes", "1", "2", "the owl"),
        ]
        assert answers.rows[1].marked and answers.cursor == 1
        assert app.query_one("#summary").text == "the owl caught fish at dawn."
        await pilot.press("up")
        await pilot.pause()
        assert app.query_one("#summary").text == "the heron caught fish at dawn."
        assert app.query_one("#passages").rows[0].key == "heron"
        assert "three silver fish" in app.query_one("#passage").text
        lines = "\n".join(line.rstrip() for line in screen_lines(app)[:-2]) + "\n"
        if os.environ.get("UPDATE_SNAPSHOTS"):
            SNAPSHOT.write_text(lines, encoding="utf-8")
        assert lines == SNAPSHOT.read_text(encoding="utf-8"), f"the screen differs from {SNAPSHOT.name}"
        app.action_export("json")
        app.action_export("markdown")
        await pilot.pause()

    drive(app, test)
    made = json.loads(next(tmp_path.glob("dqlore-*.json")).read_text())
    assert made["candidates_answers"] == ["the heron", "the owl"] and made["ranking"] == [0.0, 1.0]
    text = next(tmp_path.glob("dqlore-*.md")).read_text()
    assert "## Candidate: the owl (valid: yes, rank 1, sum 2)" in text and "**Answer: the owl**" in text


def test_answering_again_reads_the_same_passages(tmp_path):
    lm = judge()
    app = reading_app(tmp_path, lm)

    async def test(pilot):
        await ask(pilot, QUESTION)
        await pilot.press("ctrl+r")
        await until(pilot, lambda: len(lm.prompts) == 14 and not app.state.phase.running)
        assert app.state.phase is Phase.DONE and len(app.state.reading.answers) == 2

    drive(app, test)


def test_the_tab_comes_and_goes_with_the_method(tmp_path):
    app = reading_app(tmp_path, judge(), method="epr")

    async def test(pilot):
        assert not tab_shown(app)
        await pilot.press("f8")
        assert app.query_one("#tabs").active == "Ask"
        app.choose_method("retrieval")
        await pilot.pause()
        assert tab_shown(app)
        assert not app.query_one("#knob-n").display
        await ask(pilot, QUESTION)
        assert app.state.answered.answer == "the swift"
        await pilot.press("f8")
        await pilot.pause()
        assert len(app.query_one("#passages").rows) == 4
        app.choose_method("dq-lore")
        await pilot.pause()
        assert not tab_shown(app) and app.query_one("#tabs").active != "Passages"

    drive(app, test)


def test_a_failure_midway_keeps_what_had_come(tmp_path):
    replies = judge()._reply
    lm = ScriptedLM(lambda p: LMError("the server went away") if step(p) == "comparison" else replies(p))
    app = reading_app(tmp_path, lm)

    async def test(pilot):
        await ask(pilot, QUESTION)
        assert app.state.phase is Phase.FAILED and "went away" in app.state.error
        await pilot.press("f8")
        await pilot.pause(0.1)
        assert [row.cells[-1] for row in app.query_one("#answers").rows] == ["the heron", "the owl"]
        assert app.query_one("#summary").text == "the heron caught fish at dawn."

    drive(app, test)
