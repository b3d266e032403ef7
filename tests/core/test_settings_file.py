import pytest
import tomli

from dqlore.core.errors import UsageError
from dqlore.core.settings import load_settings
from dqlore.core.settings_file import default_toml, updated, write_settings

BEST = {"select": {"m": 32, "n": 4}, "rerank": {"name": "pca", "dim": 16, "sigma": None}}

MINE = """\
# my settings
data = "~/datasets"   # all of them

[rerank]  # how
  name = "kernel-pca"  # was best last week
sigma = 2.0
[lm]
name = "openai:x"
"""


def test_other_keys_and_comments_stay():
    made = updated(MINE, BEST)
    assert tomli.loads(made) == {
        "data": "~/datasets",
        "rerank": {"name": "pca", "dim": 16},
        "lm": {"name": "openai:x"},
        "select": {"m": 32, "n": 4},
    }
    for kept in ("# my settings", 'data = "~/datasets"   # all of them', "# was best last week", "#sigma = 2.0"):
        assert kept in made


def test_the_commented_defaults_are_filled_in(tmp_path):
    path = tmp_path / "dqlore.toml"
    path.write_text(default_toml())
    write_settings(path, BEST)
    assert len(path.read_text().splitlines()) == len(default_toml().splitlines())
    settings = load_settings(config=path)
    assert (settings.select.m, settings.select.n, settings.rerank.name, settings.rerank.dim) == (32, 4, "pca", 16)


def test_a_new_file_and_a_second_writing(tmp_path):
    path = tmp_path / "new.toml"
    write_settings(path, BEST)
    write_settings(path, {"select": {"m": 64}, "rerank": {"name": "none", "dim": None}})
    settings = load_settings(config=path)
    assert (settings.select.m, settings.select.n, settings.rerank.name, settings.rerank.dim) == (64, 4, "none", None)


@pytest.mark.parametrize("text", ["select.m = 5\n", "[select]\nm = [\n  1,\n]\n", "[[select]]\nm = 1\n"])
def test_a_file_that_cannot_be_changed_by_lines_is_left_alone(tmp_path, text):
    path = tmp_path / "odd.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=r"set by hand: select\.m = 32|not valid"):
        write_settings(path, BEST)
    assert path.read_text() == text


def test_a_broken_file_is_named(tmp_path):
    path = tmp_path / "broken.toml"
    path.write_text("[select\n")
    with pytest.raises(UsageError, match=r"broken\.toml: not valid TOML"):
        write_settings(path, BEST)
