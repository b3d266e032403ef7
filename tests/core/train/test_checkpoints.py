from pathlib import Path

import pytest

from dqlore.core.train.checkpoints import newest_whole, seal


def write(root: Path, step: int, *, sealed: bool = True) -> Path:
    folder = root / f"checkpoint-{step}"
    (folder / "1_Pooling").mkdir(parents=True)
    (folder / "model.safetensors").write_bytes(bytes(range(200)))
    (folder / "1_Pooling" / "config.json").write_text("{}")
    if sealed:
        seal(folder)
    return folder


def test_the_newest_by_step_not_by_name(tmp_path):
    for step in (5, 10, 100):
        write(tmp_path, step)
    assert newest_whole(tmp_path) == (tmp_path / "checkpoint-100", [])
    assert newest_whole(tmp_path / "nowhere") == (None, [])


@pytest.mark.parametrize("damage", ["cut", "changed", "missing", "unsealed", "no seal's text"])
def test_a_damaged_one_is_named_and_an_older_one_used(tmp_path, damage):
    old, new = write(tmp_path, 5), write(tmp_path, 10, sealed=damage != "unsealed")
    weights = new / "model.safetensors"
    if damage == "cut":
        weights.write_bytes(weights.read_bytes()[:100])
    elif damage == "changed":
        weights.write_bytes(bytes(200))
    elif damage == "missing":
        (new / "1_Pooling" / "config.json").unlink()
    elif damage == "no seal's text":
        (new / "seal.json").write_text("[")
    found, said = newest_whole(tmp_path)
    assert found == old
    assert len(said) == 1 and str(new) in said[0]
    if damage == "cut":
        assert "model.safetensors" in said[0]
