"""What the screen looks like at three sizes, compared with the texts in snapshots/, and its colours in both themes.

UPDATE_SNAPSHOTS=1 writes the texts anew; the diff then shows what has changed on the screen.
"""

import os
import re
from pathlib import Path

import pytest
from tui_toys import COT, ask, drive, screen_lines, toy_app, until

from dqlore.tui.state import Phase
from toys import ScriptedLM

FOLDER = Path(__file__).parent / "snapshots"
SIZES = [(80, 24), (120, 40), (200, 60)]
# Times differ from run to run; digits are kept in number so that the layout stays.
TIME = re.compile(r"<1 ms|\d+ ms|\d+\.\d s")


def timeless(lines):
    text = "\n".join(re.sub(TIME, "T", line).rstrip() for line in lines)
    return re.sub(r" +\n", "\n", text) + "\n"


def compare(app, name):
    width, height = app.size
    path = FOLDER / f"{name}-{width}x{height}.txt"
    lines = screen_lines(app)
    lines[-2] = " (status: device, models, pool)"  # differs from machine to machine
    shown = timeless(lines)
    if os.environ.get("UPDATE_SNAPSHOTS"):
        path.write_text(shown, encoding="utf-8")
    assert shown == path.read_text(encoding="utf-8"), f"the screen differs from {path.name}"


def luminance(color):
    channels = [
        channel / 12.92 if channel <= 0.03928 else ((channel + 0.055) / 1.055) ** 2.4
        for channel in (value / 255 for value in color.triplet)
    ]
    return sum(part * weight for part, weight in zip(channels, (0.2126, 0.7152, 0.0722), strict=True))


def unreadable(app):
    """Return the words whose colour is too near to what they stand on (a contrast below 3, WCAG's for large text)."""
    found = []
    for strip in app.screen._compositor.render_strips():
        for segment in strip:
            style = segment.style
            if not re.search(r"\w", segment.text) or style is None or not (style.color and style.bgcolor):
                continue
            one, two = sorted((luminance(style.color), luminance(style.bgcolor)))
            if (two + 0.05) / (one + 0.05) < 3:
                found.append(segment.text.strip())
    return found


@pytest.mark.parametrize("dark", [True, False], ids=["dark", "light"])
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_screens(tmp_path, size, dark):
    app = toy_app(tmp_path, ScriptedLM(lambda _: COT, window=4000))

    async def test(pilot):
        if not dark:
            app.action_toggle_theme()
        await until(pilot, lambda: any(table.rows for table in app.query("PoolTab #pool")))
        await until(pilot, lambda: "30 exemplars" in screen_lines(app)[-2])
        compare(app, "start")
        await ask(pilot)
        assert app.state.phase is Phase.DONE
        app.query_one("#picks").focus()
        await pilot.press("down", "down")
        await pilot.pause()
        compare(app, "answered")
        assert not unreadable(app)
        for key, tab in (("f3", "prompt"), ("f4", "pool"), ("f5", "map")):
            await pilot.press(key)
            await pilot.pause(0.1)
            await pilot.pause()
            if tab != "map":  # where points fall may differ by a dot between numerical libraries
                compare(app, tab)
            assert not unreadable(app)
        await pilot.press("f2", "ctrl+e")
        await pilot.pause()
        await pilot.press("home", "enter")
        await until(pilot, lambda: app.other.phase is Phase.DONE)
        await pilot.pause(0.1)
        await pilot.pause()
        compare(app, "compare")
        assert not unreadable(app)

    drive(app, test, size)


def test_the_themes_differ_in_colour(tmp_path):
    app = toy_app(tmp_path)

    async def test(pilot):
        dark = app.screen.styles.background, app.current_theme.dark
        app.action_toggle_theme()
        await pilot.pause()
        assert dark[1] and not app.current_theme.dark
        assert luminance_of(app.screen.background_colors[1]) > 0.5

    drive(app, test)


def luminance_of(color):
    return luminance(color.rich_color)
