import pytest
import tomli

from dqlore.core import load_settings
from dqlore.core.errors import UsageError
from dqlore.core.settings import Settings, user_config_file
from dqlore.core.settings_file import default_toml


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_each_source_beats_the_next(tmp_path, monkeypatch):
    write(user_config_file(), "[select]\nm = 10\nn = 1\nmethod = 'epr'\norder = 'best-first'\n")
    write(tmp_path / "work" / "dqlore.toml", "[select]\nm = 20\nn = 2\nmethod = 'bm25'\n")
    monkeypatch.setenv("DQLORE_SELECT__M", "30")
    monkeypatch.setenv("DQLORE_SELECT__N", "3")
    settings = load_settings({"select": {"m": 40, "n": None}})
    assert (settings.select.m, settings.select.n) == (40, 3)
    assert settings.select.method == "bm25"
    assert settings.select.order == "best-first"
    assert settings.select.dedupe is False


def test_config_takes_the_place_of_the_file_in_this_folder(tmp_path):
    write(tmp_path / "work" / "dqlore.toml", "[select]\nm = 20\n")
    other = write(tmp_path / "other.toml", "[select]\nn = 2\n")
    settings = load_settings(config=other)
    assert (settings.select.m, settings.select.n) == (64, 2)


def test_data_folder_from_the_environment_expands_home(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("DQLORE_DATA", "~/sets")
    assert load_settings().data == tmp_path / "sets"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("[select]\nmm = 3\n", ["dqlore.toml", "'select.mm'", "did you mean 'm'"]),
        ("[selct]\nm = 3\n", ["dqlore.toml", "'selct'", "did you mean 'select'"]),
        ("[select]\nm = 'many'\n", ["dqlore.toml", "select.m = 'many'", "integer"]),
        ("[select]\norder = 'up'\n", ["dqlore.toml", "select.order = 'up'", "'best-last' or 'best-first'"]),
        ("[select]\nm = 0\n", ["dqlore.toml", "select.m = 0", "greater than or equal to 1"]),
        ("[select\nm = 3\n", ["dqlore.toml", "not valid TOML", "line 1"]),
        ("pool = 'x.jsonl'\n", ["dqlore.toml", "pool = 'x.jsonl'"]),
    ],
)
def test_wrong_settings_name_key_value_and_file(tmp_path, text, parts):
    write(tmp_path / "work" / "dqlore.toml", text)
    with pytest.raises(UsageError) as caught:
        load_settings()
    for part in parts:
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value", "part"),
    [
        ("DQLORE_SELECT__M", "many", "environment DQLORE_SELECT__M: select.m = 'many'"),
        ("DQLORE_SELECT__MM", "3", "unknown key 'select.mm'"),
        ("DQLORE_SELCT__M", "3", "unknown section 'selct'; did you mean 'select'"),
        ("DQLORE_POOL", "{broken", "environment"),
    ],
)
def test_wrong_environment_names_the_variable(monkeypatch, name, value, part):
    monkeypatch.setenv(name, value)
    with pytest.raises(UsageError, match=part.replace("(", "\\(").replace("?", "\\?")):
        load_settings()


def test_missing_config_file_is_named(tmp_path):
    with pytest.raises(UsageError, match=r"nowhere\.toml: no such settings file"):
        load_settings(config=tmp_path / "nowhere.toml")


def test_a_key_pasted_into_the_file_is_not_repeated(tmp_path):
    write(tmp_path / "work" / "dqlore.toml", "[endpoint]\napi_key = 'sk-very-secret'\n")
    with pytest.raises(UsageError) as caught:
        load_settings()
    assert "endpoint.api_key" in str(caught.value)
    assert "sk-very-secret" not in str(caught.value)


def test_the_template_uncommented_holds_the_defaults(tmp_path):
    lines = [line.removeprefix("#") for line in default_toml().splitlines() if not line.startswith("# ")]
    with_value = [line for line in lines if not line.endswith(" =")]
    file = write(tmp_path / "all.toml", "\n".join(with_value))
    assert tomli.loads(file.read_text())["select"]["m"] == 64
    assert load_settings(config=file) == Settings(flags={}, files=[])


def test_the_template_in_the_project_is_current():
    from pathlib import Path

    assert (Path(__file__).parents[2] / "dqlore.toml").read_text() == default_toml()


@pytest.mark.parametrize("line", ["api_key_env = 'sk-very-secret'", "base_url = 'http://me:sk-very-secret@host/v1'"])
def test_a_key_in_a_setting_for_something_else_is_refused_unseen(tmp_path, line):
    write(tmp_path / "work" / "dqlore.toml", f"[endpoint]\n{line}\n")
    with pytest.raises(UsageError, match="variable") as caught:
        load_settings()
    assert "sk-very-secret" not in str(caught.value)


def test_a_section_given_a_value_is_told_from_a_key(tmp_path, monkeypatch):
    with pytest.raises(UsageError, match=r"lm is a section, name a key in it: lm\.name"):
        load_settings(config=write(tmp_path / "a.toml", "lm = 'openai:m'"))
    monkeypatch.setenv("DQLORE_SELECT", '{"m": 3}')
    assert load_settings().select.m == 3
    monkeypatch.setenv("DQLORE_POOL", "solved.jsonl")
    with pytest.raises(UsageError, match=r"environment DQLORE_POOL: .* DQLORE_POOL__PATH"):
        load_settings()


def test_a_path_with_a_nul_character_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"cache\.path = .*: a path holds no NUL"):
        load_settings(config=write(tmp_path / "a.toml", '[cache]\npath = "a\\u0000"'))


@pytest.mark.parametrize("flags", [{"select": {"m": True}}, {"rerank": {"sigma": False}}, {"pool": {"path": True}}])
def test_a_truth_value_is_no_number_and_no_text(flags):
    with pytest.raises(UsageError, match="neither true nor false"):
        load_settings(flags)


@pytest.mark.parametrize(
    "train", [{"seed": 2**32}, {"learning_rate": float("inf")}, {"scale": float("inf")}, {"scale": float("nan")}]
)
def test_numbers_that_no_training_can_use_are_refused(train):
    with pytest.raises(UsageError, match="train"):
        load_settings({"train": train})


@pytest.mark.parametrize("variable", ["DQLORE_POOL", "DQLORE_POOL__MAP"])
def test_an_environment_value_that_is_no_json_is_named(monkeypatch, variable):
    monkeypatch.setenv(variable, "{")
    with pytest.raises(UsageError, match=rf"environment {variable}: .* JSON object; .* DQLORE_POOL__PATH sets"):
        load_settings()
