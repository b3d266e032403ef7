import pytest

from dqlore.core import doctor, load_settings


def examined(tmp_path, **settings):
    """The checks by name, with an encoder that is not there: it fails at once, and the others go on."""
    given = {"encoder": {"name": "./none"}, "cache": {"path": str(tmp_path)}, **settings}
    return {check.name: check for check in doctor.examine(load_settings(given))}


@pytest.fixture
def recorded(tmp_path):
    path = tmp_path / "recorded.jsonl"
    path.write_text('{"question": "a?", "completion": "b"}\n')
    return {"name": f"replay:{path}"}


def test_a_damaged_reply_cache_is_named_and_the_other_checks_go_on(tmp_path, recorded):
    (tmp_path / "replies.sqlite").write_text("hello")
    checks = examined(tmp_path, lm=recorded)
    assert checks["cache"].state == "warning"
    assert "replies.sqlite" in checks["cache"].detail and checks["cache"].todo
    assert {name for name, check in checks.items() if check.state == "failed"} == {"encoder", "index"}


def test_a_package_that_is_missing_is_said_to_be(tmp_path, recorded, monkeypatch):
    monkeypatch.setattr(doctor, "PACKAGES", ("dqlore", "no-such-package"))
    assert "no-such-package is not installed" in examined(tmp_path, lm=recorded)["versions"].detail


def test_a_backend_without_a_model_fails(tmp_path):
    checks = examined(tmp_path, lm={"name": "local:"})
    assert checks["lm"].state == "failed"
    assert "local:MODEL" in checks["lm"].detail


def test_a_folder_that_cannot_be_looked_into_fails_one_check(tmp_path, recorded):
    checks = examined(tmp_path, lm=recorded, data="y" * 300)
    assert checks["data"].state == "failed" and "File name too long" in checks["data"].detail
    assert checks["cache"].state == "ok"
