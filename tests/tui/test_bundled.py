"""The application on the bundled models, from the first frame to the answer."""

import subprocess
import sys
from dataclasses import replace

import pytest
from tui_toys import ask, drive, screen_lines, until

from dqlore.core import load_settings
from dqlore.tui.app import DqloreApp
from dqlore.tui.state import Phase

QUESTION = "A train covers 180 km in 2 hours. How far does it go in 5 hours?"


@pytest.mark.slow
def test_a_question_is_answered_by_the_bundled_models(model_cache):
    app = DqloreApp(load_settings({"cache": {"path": model_cache, "enabled": False}, "lm": {"max_tokens": 24}}))

    async def test(pilot):
        assert "Question" in "\n".join(screen_lines(app))
        await until(pilot, lambda: "417 exemplars" in "\n".join(screen_lines(app)), 240)
        await ask(pilot, QUESTION, 240)
        assert app.state.phase is Phase.DONE, app.state.error
        assert len(app.query_one("#candidates").rows) == 64
        assert len(app.query_one("#picks").rows) == 8
        app.choose(replace(app.setup, reranker="mgs", n=5))
        await pilot.pause()
        assert "Exemplars 5 by mgs" in "\n".join(screen_lines(app))
        await pilot.press("f3")
        await until(pilot, lambda: "5 exemplars" in "\n".join(screen_lines(app)))
        assert QUESTION in app.query_one("#prompt").text

    drive(app, test)


FIRST_FRAME = """
import asyncio, sys
import dqlore.commands.main
from dqlore.core.settings import load_settings
from dqlore.tui.app import DqloreApp

DqloreApp._begin = lambda self: None  # what loads the models, once the first frame is there

async def main():
    async with DqloreApp(load_settings()).run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        heavy = {"torch", "transformers", "sentence_transformers", "faiss", "sklearn", "numpy", "bm25s", "openai"}
        print(*(heavy & set(sys.modules)), file=sys.__stdout__)

asyncio.run(main())
"""


def test_no_model_library_is_imported_before_the_first_frame():
    command = [sys.executable, "-c", FIRST_FRAME]
    told = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert told.stdout.split() == []
