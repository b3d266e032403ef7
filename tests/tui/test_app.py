"""The application driven by keys, in a headless terminal, on toy models."""

import json
import unicodedata
from pathlib import Path
from time import perf_counter, process_time

import pytest
from textual import events
from tui_toys import COT, QUESTION, PacedLM, ask, cell_width, drive, screen_lines, toy_app, until, words

from dqlore.core import load_settings
from dqlore.core.errors import LMError
from dqlore.core.exemplars import Exemplar, Pool
from dqlore.tui.app import DqloreApp
from dqlore.tui.screens.detail import TextScreen
from dqlore.tui.state import Phase
from toys import ScriptedLM, toy_pool

HOSTILE = "Sort [00] then [b + and [/x], cite [1] and [bold]this[/bold] \x1b[31mred\x07\u202e \\[x]"
SHOWN = "Sort [00] then [b + and [/x], cite [1] and [bold]this[/bold] \\x1b[31mred\\x07\\u202e \\[x]"
WIDE = "東京から3 km, 🚆🚆 ok, e\u0301t\u00e9"


def text_of(app, selector):
    return app.query_one(selector).text


def toasts(app):
    return [notification.message for notification in app._notifications]


def test_a_question_shows_reasoning_candidates_picks_and_the_answer(tmp_path):
    app = toy_app(tmp_path)

    async def test(pilot):
        await pilot.press(*"How many boats?")
        await pilot.press("enter")
        await until(pilot, lambda: app.state.phase is Phase.DONE)
        assert app.state.query.question == "How many boats?"
        assert text_of(app, "#cot") == COT
        assert text_of(app, "#answer") == COT
        assert len(app.query_one("#candidates").rows) == 30
        assert len(app.query_one("#picks").rows) == 8
        shown = "\n".join(screen_lines(app))
        assert "Exemplars 8 by pca" in shown
        assert "total" in shown
        assert "toy pool: 30 exemplars" in shown
        assert app.query_one("Verdict Digits").value == "7"

    drive(app, test, (160, 40))


def test_keys_that_come_faster_than_they_are_worked_off_keep_their_order(tmp_path):
    app = toy_app(tmp_path)
    typed = [*"How many", ("ctrl+j", "\n"), *"boats", ("enter", "\r")]
    keys = [events.Key(*key) if isinstance(key, tuple) else events.Key(key, key) for key in typed]

    async def test(pilot):
        for key in keys:
            app.post_message(key)
        await until(pilot, lambda: app.state.phase is Phase.DONE)
        assert app.state.query.question == "How many\nboats"

    drive(app, test)


def test_the_question_of_the_command_line_is_asked_at_once(tmp_path):
    app = toy_app(tmp_path, question=QUESTION)
    drive(app, lambda pilot: until(pilot, lambda: app.state.phase is Phase.DONE))
    assert app.state.answered.answer == "7"


def test_the_reasoning_is_seen_while_it_streams(tmp_path):
    lm = PacedLM(lambda _: words(COT), pause=0.03)
    app = toy_app(tmp_path, lm)

    async def test(pilot):
        app.query_one("#question").text = QUESTION
        await pilot.press("enter")
        await until(pilot, lambda: app.state.phase is Phase.FIRST_QUERY and len(app.state.cot.text) > 10)
        shown = text_of(app, "#cot")
        assert 0 < len(shown) < len(COT)
        assert COT.startswith(shown.strip())
        assert any("First query ..." in line for line in screen_lines(app))
        await until(pilot, lambda: app.state.phase is Phase.DONE)
        assert text_of(app, "#cot").split() == COT.split()

    drive(app, test)


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
def test_texts_of_users_pools_and_models_are_never_markup(tmp_path, size):
    odd = [Exemplar(f"[id {i}]", f"{HOSTILE} {i}", HOSTILE, "[1]") for i in range(12)]
    pool = Pool((*odd, *toy_pool(10)), f"[/pool] {HOSTILE}")
    app = toy_app(tmp_path, ScriptedLM(lambda _: HOSTILE), pool=pool, task={"kind": "span"})

    async def test(pilot):
        await ask(pilot, f"{SHOWN} 3")
        assert text_of(app, "#cot") == SHOWN
        assert text_of(app, "#answer") == SHOWN
        app.query_one("#candidates").focus()
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, TextScreen)
        assert SHOWN in app.screen.query_one("StreamPane").text
        await pilot.press("y", "escape")
        assert app.clipboard.startswith("[id ")
        for tab in ("f3", "f4", "f5", "f6", "f7", "f2"):
            await pilot.press(tab)
            await pilot.pause()
        everything = "\n".join(screen_lines(app))
        assert "\x1b" not in everything
        assert "[00] then [b" in everything

    drive(app, test, size)


def test_an_error_with_brackets_is_a_notice_and_the_app_goes_on(tmp_path):
    failing = [LMError("no [/connection] to [b; start the server"), None, None]
    app = toy_app(tmp_path, PacedLM(lambda _: words(COT), failing=lambda _: failing.pop(0) if failing else None))

    async def test(pilot):
        await ask(pilot)
        assert app.state.phase is Phase.FAILED
        assert any("[/connection]" in toast for toast in toasts(app))
        assert app.query_one("#question").text == QUESTION
        assert "3 + 4" in text_of(app, "#cot")
        await ask(pilot)
        assert app.state.phase is Phase.DONE

    drive(app, test)


@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
def test_a_key_stops_the_stream_and_keeps_the_partial_answer(tmp_path, key):
    lm = PacedLM(lambda _: words(COT + " and so on" * (200 if len(lm.prompts) == 2 else 0)), pause=0.01)
    app = toy_app(tmp_path, lm)

    async def test(pilot):
        app.query_one("#question").text = QUESTION
        await pilot.press("enter")
        await until(pilot, lambda: app.state.phase is Phase.ANSWERING and len(app.state.answer.text) > 5)
        assert lm.open_streams == 1
        await pilot.press(key)
        await until(pilot, lambda: app.state.phase is Phase.CANCELLED)
        assert lm.open_streams == 0
        assert lm.finished == 1
        kept = text_of(app, "#answer")
        assert kept.startswith("First there")
        assert kept.endswith("(cancelled)")
        assert app.query_one("#question").text == QUESTION
        assert app.is_running
        await ask(pilot)
        assert app.state.phase is Phase.DONE

    drive(app, test)


def test_ctrl_c_never_quits_and_copies_what_is_selected(tmp_path):
    app = toy_app(tmp_path)

    async def test(pilot):
        box = app.query_one("#question")
        box.text = "keep this"
        await pilot.press("ctrl+c")
        assert any("Ctrl+Q quits" in toast for toast in toasts(app))
        assert box.text == "keep this"
        box.select_all()
        await pilot.press("ctrl+c")
        assert app.clipboard == "keep this"
        assert box.text == "keep this"
        assert app.is_running

    drive(app, test)


def test_a_paste_of_five_lines_is_kept_and_not_asked(tmp_path):
    app = toy_app(tmp_path)
    pasted = "one\n\n\ttabbed\nfour [b\nfive"

    async def test(pilot):
        app.post_message(events.Paste(pasted.replace("\n", "\r\n") + "\x1b[2J"))
        await pilot.pause()
        await pilot.pause()
        assert app.query_one("#question").text == pasted + "\\x1b[2J"
        assert app.state.phase is Phase.IDLE
        await pilot.press("ctrl+j", "x")
        assert app.query_one("#question").text.endswith("\nx")
        assert app.state.phase is Phase.IDLE

    drive(app, test)


def test_up_and_down_walk_through_earlier_questions(tmp_path):
    app = toy_app(tmp_path)

    async def test(pilot):
        box = app.query_one("#question")
        for text in ("first?", "second?\nof two lines"):
            await ask(pilot, text)
        box.text = "draft"
        await pilot.press("up")
        assert box.text == "second?\nof two lines"
        await pilot.press("up", "up")
        assert box.text == "first?"
        await pilot.press("down", "down", "down", "down")
        assert box.text == "draft"

    drive(app, test)


def test_an_empty_question_is_refused_kindly(tmp_path):
    app = toy_app(tmp_path)

    async def test(pilot):
        await pilot.press("space", "enter")
        assert any("Type a question" in toast for toast in toasts(app))
        assert app.state.phase is Phase.IDLE

    drive(app, test)


def test_an_empty_reply_is_no_answer(tmp_path):
    app = toy_app(tmp_path, ScriptedLM(lambda _: ""))

    async def test(pilot):
        await ask(pilot)
        assert app.state.phase is Phase.DONE
        assert "no answer in the reply" in "\n".join(screen_lines(app))

    drive(app, test)


def test_the_controls_rank_again_without_a_model(tmp_path):
    lm = ScriptedLM(lambda _: COT)
    app = toy_app(tmp_path, lm)

    async def test(pilot):
        await ask(pilot)
        calls, before = len(lm.prompts), [row.key for row in app.query_one("#picks").rows]
        app.query_one("#knob-reranker").focus()
        await pilot.press("left")
        assert app.setup.reranker == "none"
        assert [row.key for row in app.query_one("#picks").rows] != before
        assert "given with other exemplars" in "\n".join(screen_lines(app))
        app.query_one("#knob-n").focus()
        await pilot.press("left", "left", "minus")
        assert len(app.query_one("#picks").rows) == 5
        assert len(lm.prompts) == calls
        await pilot.press("ctrl+r")
        await until(pilot, lambda: not app.running)
        assert len(lm.prompts) == calls + 1
        assert len(lm.prompts[-1].ranked) == 5
        assert "given with other exemplars" not in "\n".join(screen_lines(app))

    drive(app, test)


def test_a_click_on_a_control_changes_it(tmp_path):
    app = toy_app(tmp_path)

    async def test(pilot):
        knob = app.query_one("#knob-n")
        await pilot.click(knob, offset=(knob.size.width - 1, 0))
        assert app.setup.n == 9
        await pilot.click(knob, offset=(2, 0))
        assert app.setup.n == 8

    drive(app, test)


def test_only_controls_with_an_effect_are_there(tmp_path):
    app = toy_app(tmp_path, select={"method": "mmr"})

    async def test(pilot):
        shown = [knob.name for knob in app.query("Knob") if knob.display]
        assert shown == ["method", "reranker", "m", "n", "alpha"]
        app.choose_method("complex-cot")
        assert [knob.name for knob in app.query("Knob") if knob.display] == ["method", "n"]

    drive(app, test)


def test_the_method_is_picked_from_a_list(tmp_path):
    app = toy_app(tmp_path)

    async def test(pilot):
        await pilot.press("ctrl+t")
        await pilot.pause()
        assert "nearest by the question alone" in "\n".join(screen_lines(app))
        await pilot.press("up", "enter")
        await pilot.pause()
        assert app.setup.method == "mmr"
        await ask(pilot)
        assert app.state.setup.method == "mmr"
        assert "First query" in "\n".join(screen_lines(app))
        assert app.state.cot.text == ""

    drive(app, test)


def test_the_tables_follow_each_other(tmp_path):
    app = toy_app(tmp_path)

    async def test(pilot):
        await ask(pilot)
        candidates, picks = app.query_one("#candidates"), app.query_one("#picks")
        picks.focus()
        for _ in range(7):
            await pilot.press("down")
            assert candidates.key == picks.key == candidates.linked
        assert app.query_one("#detail").text.startswith(f"id: {picks.key}")
        candidates.focus()
        await pilot.press("home")
        assert picks.linked == candidates.key
        await pilot.press("enter")
        await pilot.pause()
        text = app.screen.query_one("StreamPane").text
        assert "retrieved: rank 1" in text
        assert "re-ranked by pca: rank" in text
        await pilot.press("escape")
        await pilot.press("y")
        assert app.clipboard == candidates.key

    drive(app, test)


def test_a_click_moves_the_cursor_and_a_second_one_opens(tmp_path):
    app = toy_app(tmp_path)

    async def test(pilot):
        await ask(pilot)
        picks = app.query_one("#picks")
        await pilot.click(picks, offset=(10, 5))  # below border, header and three rows
        assert picks.cursor == 3
        await pilot.click(picks, offset=(10, 5))
        await pilot.pause()
        assert app.screen.query_one("StreamPane").text.startswith(f"id: {picks.key}")

    drive(app, test)


def test_handwritten_exemplars_open_too(tmp_path):
    app = toy_app(tmp_path, select={"method": "cot"})

    async def test(pilot):
        await ask(pilot)
        app.query_one("#picks").focus()
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, TextScreen)

    drive(app, test)


def test_reading_back_is_not_disturbed_by_new_text(tmp_path):
    lm = PacedLM(lambda _: [f"line {i}\n" for i in range(5000)], pause=0.004)
    app = toy_app(tmp_path, lm)

    async def test(pilot):
        pane = app.query_one("#cot")
        app.query_one("#question").text = QUESTION
        await pilot.press("enter")
        await until(pilot, lambda: len(pane.lines) > 80)
        pane.focus()
        await pilot.press("pageup", "pageup", "pageup", "up")
        place, lines = pane.scroll_offset.y, len(pane.lines)
        await until(pilot, lambda: len(pane.lines) > lines + 30)
        assert pane.scroll_offset.y == place
        assert "new text below: End" in "\n".join(screen_lines(app))
        await pilot.press("end")
        await until(pilot, lambda: len(pane.lines) > lines + 60)
        assert pane.scroll_offset.y == pane.max_scroll_y
        assert "new text below" not in "\n".join(screen_lines(app))
        await pilot.press("escape")
        await until(pilot, lambda: app.state.phase is Phase.CANCELLED)

    drive(app, test)


def test_resizing_while_text_streams(tmp_path):
    text = "A table | of | columns and a [b bracket. " * 30
    app = toy_app(tmp_path, PacedLM(lambda _: words(text), pause=0.002))

    async def test(pilot):
        app.query_one("#question").text = QUESTION
        await pilot.press("enter")
        await until(pilot, lambda: len(app.state.cot.text) > 100)
        for size in ((20, 6), (100, 30), (200, 60), (30, 8), (120, 40)):
            await pilot.resize_terminal(*size)
            lines = screen_lines(app)
            assert len(lines) == size[1]
            assert all(cell_width(line) == size[0] for line in lines)
        await until(pilot, lambda: app.state.phase is Phase.DONE)
        pane = app.query_one("#answer")
        assert max(map(cell_width, pane.lines)) <= pane.content_region.width
        assert "".join(pane.lines).split() == text.split()

    drive(app, test)


def test_resizing_is_as_fast_after_many_questions_as_after_one(tmp_path):
    app = toy_app(tmp_path, ScriptedLM(lambda _: "3 + 4 = 7\nThe answer is 7."))

    async def seconds(pilot):
        started = process_time()  # the clock would also count what else the machine does
        for size in ((100, 30), (200, 60), (60, 20)):
            await pilot.resize_terminal(*size)
            assert all(cell_width(line) == size[0] for line in screen_lines(app))
        return process_time() - started

    async def test(pilot):
        await ask(pilot)
        await seconds(pilot)
        first = await seconds(pilot)
        for i in range(12):
            await ask(pilot, f"{QUESTION} [{i}]")
        assert min([await seconds(pilot) for _ in range(3)]) < 1.5 * first

    drive(app, test)


def test_a_tiny_terminal_shows_question_and_stream(tmp_path):
    app = toy_app(tmp_path)

    async def test(pilot):
        await ask(pilot)
        lines = screen_lines(app)
        assert lines[0].startswith("How many boats")
        assert any("3 + 4 = 7" in line for line in lines)

    drive(app, test, (20, 6))


def test_wide_characters_leave_the_borders_straight(tmp_path):
    odd = [Exemplar(f"w{i}", f"{WIDE} {i} " * 4, WIDE, "7") for i in range(10)]
    app = toy_app(tmp_path, ScriptedLM(lambda _: f"{WIDE}. " * 12), pool=Pool(tuple(odd), "wide"))

    async def test(pilot):
        await ask(pilot, WIDE)
        box = app.query_one("#question")
        assert box.cursor_location == (0, 0)
        await pilot.press("end")
        assert box.cursor_screen_offset.x - box.content_region.x == cell_width(WIDE)
        for letter in "東京 é":
            await pilot.press(letter)
        assert box.text == f"{WIDE}東京 é"
        assert box.cursor_screen_offset.x - box.content_region.x == cell_width(box.text)
        for line in screen_lines(app):
            assert cell_width(line) == app.size.width
            assert cell_width(line[: line.rfind("│")]) in (-1, 0, app.size.width - 1)

    drive(app, test, (100, 40))


def test_very_long_lines_fold_and_stay_fast(tmp_path):
    text = "x" * 20000
    app = toy_app(tmp_path, PacedLM(lambda _: [text[i : i + 5] for i in range(0, len(text), 5)]))

    async def test(pilot):
        await ask(pilot)
        assert app.state.phase is Phase.DONE
        assert "".join(app.query_one("#answer").lines) == text

    drive(app, test)


def test_four_thousand_pieces_leave_the_keyboard_alive(tmp_path):
    table = "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 200
    text = (table + "```python\nprint('[b]')\n```\n") * 9
    pieces = [text[i : i + 5] for i in range(0, len(text), 5)][:4000]
    app = toy_app(tmp_path, PacedLM(lambda _: pieces))

    async def test(pilot):
        box = app.query_one("#question")
        box.text = QUESTION
        await pilot.press("enter")
        times = []
        for letter in "abcdefgh":
            started = perf_counter()
            await pilot.press(letter)
            times.append(perf_counter() - started)
        assert "abcdefgh" in box.text
        await until(pilot, lambda: app.state.phase is Phase.DONE, 30)
        assert app.query_one("#answer").text == "".join(pieces)
        assert sorted(times)[4] < 0.2

    drive(app, test)


def test_the_prompt_tab_shows_what_is_sent(tmp_path):
    lm = ScriptedLM(lambda _: COT, window=4000)
    app = toy_app(tmp_path, lm)

    async def test(pilot):
        await ask(pilot)
        await pilot.press("f3")
        await until(pilot, lambda: text_of(app, "#prompt"))
        assert text_of(app, "#prompt") == lm.prompts[-1].text()
        tokens = len(lm.prompts[-1].text().split())
        assert f"{tokens} tokens, 8 exemplars" in "\n".join(screen_lines(app))
        app.choose(app.setup.stepped("n", -1))
        await until(pilot, lambda: "7 exemplars" in "\n".join(screen_lines(app)))
        app.query_one("#prompt").focus()
        await pilot.press("y")
        assert app.clipboard == text_of(app, "#prompt")

    drive(app, test)


def test_the_pool_is_searched_as_one_types_and_its_questions_can_be_asked(tmp_path):
    app = toy_app(tmp_path)

    async def test(pilot):
        await until(pilot, lambda: app.query_one("#pool").rows)
        await pilot.press("f4")
        await pilot.pause()
        await pilot.press(*"eggs")
        await until(pilot, lambda: 0 < len(app.query_one("#pool").rows) < 30)
        assert all("eggs" in row.cells[-1] for row in app.query_one("#pool").rows)
        await pilot.press("enter", "down")
        key = app.query_one("#pool").key
        assert app.query_one("#pool-detail").text.startswith(f"id: {key}")
        await pilot.press("a")
        await pilot.pause()
        await pilot.press("enter")
        await until(pilot, lambda: app.state.phase is Phase.DONE)
        assert app.state.gold == app.query_one("PoolTab").exemplar(key).answer
        assert key not in [row.key for row in app.query_one("#candidates").rows]
        assert ("right" if app.state.correct else "wrong, it is") in "\n".join(screen_lines(app))

    drive(app, test)


def test_the_map_marks_question_and_picks(tmp_path):
    app = toy_app(tmp_path)

    async def test(pilot):
        await pilot.press("f5")
        await pilot.pause()
        assert "no vectors yet" in "\n".join(screen_lines(app))
        await pilot.press("escape")
        await ask(pilot)
        await pilot.press("f5")
        await pilot.pause()
        shown = "\n".join(screen_lines(app))
        assert shown.count("Q") >= 2
        assert any("\u2801" <= c <= "\u28ff" for c in shown)
        assert "ranked by pca" in shown

    drive(app, test)


def test_two_methods_are_compared_side_by_side(tmp_path):
    lm = ScriptedLM(lambda _: COT)
    app = toy_app(tmp_path, lm)

    async def test(pilot):
        await ask(pilot)
        await pilot.press("ctrl+e")
        await pilot.pause()
        await pilot.press("home", "enter")
        await until(pilot, lambda: app.other.phase is Phase.DONE)
        shown = "\n".join(screen_lines(app))
        assert "dq-lore with pca" in shown
        assert "cot with none" in shown
        assert "exemplars in common" in shown
        assert shown.count("Answer: 7") == 2

    drive(app, test)


def test_runs_are_listed_filtered_and_opened(tmp_path):
    rows = [
        {"id": str(i), "question": f"{QUESTION} [{i}]", "gold": "7", "predicted": "78"[i % 2], "correct": i % 2 == 0}
        for i in range(6)
    ]
    for name, flipped in (("one", ()), ("two", (0, 1))):
        folder = Path("runs") / name
        folder.mkdir(parents=True)
        folder.joinpath("config.json").write_text(json.dumps({"dataset": "[gsm8k]", "method": "dq-lore"}))
        folder.joinpath("summary.json").write_text(json.dumps({"n": 6, "accuracy": 0.5, "ci95": [0.2, 0.8]}))
        lines = [json.dumps({**row, "correct": row["correct"] != (i in flipped)}) for i, row in enumerate(rows)]
        folder.joinpath("records.jsonl").write_text("\n".join(lines) + '\n{"cut')
    app = toy_app(tmp_path)

    async def test(pilot):
        await pilot.press("f7")
        await pilot.pause()
        assert "50.0% (20.0% to 80.0%)" in "\n".join(screen_lines(app))
        runs, records = app.query_one("#runs"), app.query_one("#records")
        runs.focus()
        await pilot.press("b", "down", "enter")
        await pilot.pause()
        assert len(records.rows) == 6
        await pilot.press("f")
        assert len(records.rows) == 3
        await pilot.press("f")
        assert len(records.rows) == 2
        await pilot.press("enter")
        await pilot.pause()
        assert app.query_one("#question").text.startswith(QUESTION)
        await pilot.press("enter")
        await until(pilot, lambda: app.state.phase is Phase.DONE)
        assert app.state.gold == "7"
        assert app.state.correct is True

    drive(app, test)


def test_a_training_shows_how_its_loss_fell(tmp_path):
    folder = Path("runs") / "[retriever]"
    folder.mkdir(parents=True)
    steps = [{"step": step, "steps": 40, "epoch": step / 20, "loss": 4 - step / 20} for step in range(1, 41)]
    steps.insert(20, {"step": 20, "steps": 40, "epoch": 1.0, "metrics": {"nDCG@8": 0.6}})
    folder.joinpath("history.jsonl").write_text("\n".join(map(json.dumps, steps)) + '\n{"step": 4')
    app = toy_app(tmp_path)

    async def test(pilot):
        await pilot.press("f7")
        await pilot.pause()
        assert "unfinished, loss 3.950 to 2.000" in "\n".join(screen_lines(app))
        folder.joinpath("train.json").write_text(
            json.dumps(
                {
                    "complete": True,
                    "made_with": {"objective": "epr"},
                    "metrics": {"nDCG@8": {"before": 0.5123, "after": 0.61}},
                }
            )
        )
        app.query_one("#runs").focus()
        await pilot.press("r", "enter")
        await pilot.pause()
        shown = "\n".join(screen_lines(app))
        assert "[retriever]: loss 3.950 to 2.000, nDCG@8 0.512 to 0.610" in shown
        assert "unfinished" not in shown
        assert "3.95" in shown and "2.00" in shown
        losses = app.query_one("#losses")
        assert losses.display and not app.query_one("#records").display
        assert losses.points.shape == (40, 2)
        await pilot.press("b")  # a training is no baseline

    drive(app, test)


def test_the_query_is_exported_as_json_and_markdown(tmp_path):
    app = toy_app(tmp_path)

    async def test(pilot):
        await pilot.press("ctrl+o")
        assert any("nothing to export" in toast for toast in toasts(app))
        await ask(pilot)
        await pilot.press("ctrl+o")
        app.action_export("markdown")
        await pilot.pause()

    drive(app, test)
    (written,) = Path().glob("dqlore-*.json")
    document = json.loads(written.read_text())
    assert document["answer"] == "7"
    assert len(document["exemplars"]) == 8
    (notes,) = Path().glob("dqlore-*.md")
    assert "**Answer: 7**" in notes.read_text()


def test_help_and_palette_open(tmp_path):
    app = toy_app(tmp_path)

    async def test(pilot):
        await pilot.press("f1")
        await pilot.pause()
        assert "a paste never asks" in "\n".join(screen_lines(app))
        await pilot.press("escape", "ctrl+p")
        await pilot.pause(0.3)
        await pilot.press(*"export")
        await pilot.pause(0.5)
        assert "Export as Markdown" in "\n".join(screen_lines(app))

    drive(app, test)


def test_what_cannot_be_loaded_is_a_notice(tmp_path):
    app = DqloreApp(load_settings({"pool": {"path": "[missing].jsonl"}, "lm": {"name": "replay:none.jsonl"}}))

    async def test(pilot):
        await until(pilot, lambda: any("[missing].jsonl" in toast for toast in toasts(app)))
        await ask(pilot)
        assert app.state.phase is Phase.FAILED
        assert app.query_one("#question").text == QUESTION

    drive(app, test)


def test_no_mark_of_the_app_is_of_ambiguous_width(tmp_path):
    app = toy_app(tmp_path)

    async def test(pilot):
        await ask(pilot)
        for key in ("f2", "f3", "f4", "f5", "f6", "f7", "f1"):
            await pilot.press(key)
            await pilot.pause()
            for line in screen_lines(app):
                odd = [c for c in line if unicodedata.east_asian_width(c) == "A" and not "\u2500" <= c <= "\u259f"]
                assert not odd, line

    drive(app, test)


def test_a_bug_ends_with_a_plain_traceback_that_shows_no_variables(tmp_path, capsys):
    app = toy_app(tmp_path)
    secret = "sk-not-to-be-seen"

    async def test(pilot):
        def broken():
            local = secret
            raise RuntimeError(f"a bug with {len(local)} letters")

        app.call_later(broken)
        await pilot.pause()

    with pytest.raises(RuntimeError):
        drive(app, test)
    told = "".join(str(part) for part in app._exit_renderables) + capsys.readouterr().err
    assert secret not in told
