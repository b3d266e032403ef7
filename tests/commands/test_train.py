import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from dqlore.commands.train_progress import Lines, sparkline, train_progress
from dqlore.core.train.history import Step
from tiny_encoder import WORDS, write_encoder


@pytest.fixture
def solved(tmp_path: Path) -> str:
    """A pool of sixteen solved cases in words the tiny encoder knows."""
    path = tmp_path / "work" / "solved.jsonl"
    rows = [
        {
            "id": f"row-{i}",
            "question": " ".join(WORDS[(i + j) % len(WORDS)] for j in range(5)) + f" {i}",
            "rationale": " ".join(WORDS[(3 * i + j) % len(WORDS)] for j in range(6)),
            "answer": str(i),
        }
        for i in range(16)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


@pytest.fixture
def scored(cli, solved, tmp_path) -> Path:
    """A run whose candidates are mined, and scored by another program."""
    out = tmp_path / "run"
    assert cli("train", "--pool", solved, "--out", out, "--stage", "mine", "--set", "train.k=8").code == 0
    rows = [json.loads(line) for line in (out / "mined.jsonl").read_text().splitlines()]
    for i, row in enumerate(rows):
        row["scores"] = [float((i * 7 + j * 5) % 11) for j in range(8)]
    (out / "scored.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return out


@pytest.fixture
def flags(solved, tmp_path) -> list[str]:
    encoder = write_encoder(tmp_path / "tiny", normalize=False, limit=40)
    sets = ("epochs=2", "batch_size=4", "k=8", "t=2", "checks=2", "held_out=0.5")
    return [
        *("--pool", solved, "--encoder", str(encoder), "--device", "cpu"),
        *(part for each in sets for part in ("--set", f"train.{each}")),
    ]


def test_fit_from_the_command_line(cli, scored, flags, monkeypatch):
    result = cli("train", *flags, "--out", scored, "--stage", "fit", "--json", "--seed", "3")
    assert result.code == 0, result.err
    document = json.loads((scored / "train.json").read_text())
    assert result.json == document
    assert document["complete"] is True and document["seed"] == 3
    assert document["batch"] == {"anchors": 4, "processes": 1, "in_batch_negatives": 6}
    assert document["made_with"]["t"] == 2 and document["settings"]["train"]["k"] == 8
    assert document["mining"]["k"] == 8
    assert {"torch", "sentence-transformers", "transformers", "python", "dqlore"} <= document["versions"].keys()
    assert len(document["pool"]["sha256"]) == len(document["made_with"]["scores"]) == 64
    assert [step for step, _ in document["losses"]] == list(range(1, 5))
    assert document["metrics"].keys() == {"mrr", "ndcg@8", "spearman"}
    assert document["metrics"]["mrr"].keys() == {"before", "after", "difference", "low", "high"}
    assert sum(document["anchors"][part] for part in ("train", "validation", "test", "tied")) == 16

    again = cli("train", *flags, "--out", scored, "--stage", "fit", "--seed", "3")
    assert again.code == 2 and "--resume" in again.err
    done = cli("train", *flags, "--out", scored, "--stage", "fit", "--seed", "3", "--resume", "--json")
    assert done.json == document
    other = cli("train", *flags, "--out", scored, "--stage", "fit", "--seed", "4", "--resume")
    assert other.code == 2 and "seed was 3 and is now 4" in other.err

    pool = flags[1]
    made = cli("index", "--pool", pool, "--out", "made.index", "--encoder", scored / "encoder", "--json")
    assert made.json["dim"] == 16
    assert cli("select", "how many", "--index", "made.index", "--method", "epr", "-n", "2", "--json").code == 0


def test_two_runs_with_one_seed_report_the_same(cli, scored, flags, tmp_path):
    import shutil

    shutil.copytree(scored, tmp_path / "twin")
    one, two = (
        cli("train", *flags, "--out", out, "--stage", "fit", "--json").json for out in (scored, tmp_path / "twin")
    )
    assert one["metrics"] == two["metrics"] and one["losses"] == two["losses"]


def test_plain_output_is_a_table_of_what_changed(cli, scored, flags):
    result = cli("train", *flags, "--out", scored, "--stage", "fit")
    assert [line.split("\t")[0] for line in result.out.splitlines()] == ["mrr", "ndcg@8", "spearman"]
    assert "encoder" in result.err


def test_a_pool_that_is_too_small_for_k(cli, solved):
    result = cli("train", "--pool", solved, "--out", "run", "--set", "train.k=16")
    assert result.code == 2 and "train.k" in result.err
    assert not Path("run/mined.jsonl").exists()


def test_a_pool_without_rationales(cli):
    rows = [json.dumps({"question": f"how many {i}", "answer": str(i)}) for i in range(9)]
    Path("bare.jsonl").write_text("\n".join(rows))
    result = cli("train", "--pool", "bare.jsonl", "--out", "run", "--set", "train.k=1")
    assert result.code == 2 and "rationale" in result.err


def test_an_encoder_that_is_none(cli, scored, solved):
    result = cli("train", "--pool", solved, "--out", scored, "--stage", "fit", "--encoder", "./nowhere")
    assert result.code == 2 and "nowhere" in result.err
    again = cli("train", "--pool", solved, "--out", scored, "--stage", "fit", "--encoder", "./nowhere", "--resume")
    assert "nowhere" in again.err


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        (("--encoder", "./nowhere"), "nowhere"),
        (("--lm", "replay:recorded.jsonl"), "log-probabilities"),
        (("--limit", "7"), "8 anchors"),
        (("--pool", "missing.jsonl"), "missing.jsonl"),
    ],
)
def test_what_a_later_stage_lacks_is_told_before_the_first(cli, flags, wrong, word):
    Path("recorded.jsonl").write_text('{"question": "how many", "completion": "two"}\n')
    result = cli("train", *flags, *wrong, "--out", "early")
    assert result.code in (1, 2) and word in result.err
    assert not Path("early").exists()


@pytest.mark.parametrize("stage", ["score", "fit"])
def test_a_stage_before_its_turn(cli, solved, stage):
    result = cli("train", "--pool", solved, "--out", "empty", "--stage", stage)
    assert result.code == 2 and "mine" in result.err


def test_a_folder_with_other_things_is_left_alone(cli, solved):
    Path("mine").mkdir()
    Path("mine/photo.png").write_text("")
    result = cli("train", "--pool", solved, "--out", "mine", "--resume")
    assert result.code == 2 and "photo.png" in result.err
    Path("file").write_text("")
    assert "file" in cli("train", "--pool", solved, "--out", "file").err
    nowhere = cli("train", "--pool", solved, "--out", "/proc/nowhere", "--set", "train.k=2")
    assert nowhere.code in (1, 2) and "/proc/nowhere" in nowhere.err


@pytest.mark.parametrize("setting", ["train.preset=large", "train.t=0", "train.held_out=1", "train.view=answers"])
def test_settings_are_checked(cli, solved, setting):
    result = cli("train", "--pool", solved, "--out", "run", "--set", setting)
    assert result.code == 2 and setting.split("=")[0] in result.err


def test_the_curve_falls_with_the_values():
    assert sparkline([3, 2, 1], 40) == "█▅▁"
    assert len(sparkline(list(range(1000)), 40)) == 40
    assert sparkline([1.0], 40) == "▁"


def test_progress_tells_rate_time_left_and_metrics(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("dqlore.commands.train_progress.time.monotonic", lambda: now[0])
    drawn: list[str] = []
    lines = Lines(5.0, drawn.append)
    lines.stage("score", 100, 400)
    now[0] = 10.0
    lines.stage("score", 200, 400)
    lines.step(Step(1, 20, 0.1, loss=2.0))
    lines.step(Step(10, 20, 1.0, metrics={"ndcg@8": 0.5}))
    now[0] = 20.0
    lines.step(Step(11, 20, 1.1, loss=1.0))
    assert drawn[0] == "score: 200/400, 10.0 pairs/s, 0:00:20 left"
    assert drawn[1] == "fit: 11/20, 1.0 steps/s, 0:00:09 left, loss 1.000 █▁, held-out ndcg@8 0.500"


def test_an_interrupted_fit_says_how_to_go_on(capsys):
    with pytest.raises(KeyboardInterrupt), train_progress(Path("run")) as (_, tell):
        tell(Step(1, 20, 0.1, loss=2.0))
        raise KeyboardInterrupt
    assert "--resume --out run goes on" in capsys.readouterr().err
    with pytest.raises(KeyboardInterrupt), train_progress(Path("run")) as (progress, _):
        progress("mine", 1, 2)
        raise KeyboardInterrupt
    assert "--resume" not in capsys.readouterr().err


@pytest.mark.parametrize("damaged", ["score.json", "mine.json"])
def test_a_manifest_that_is_damaged(cli, scored, flags, damaged):
    (scored / damaged).write_text('{"made_with"')
    result = cli("train", *flags, "--out", scored, "--stage", "fit")
    assert result.code == 2 and f"{damaged} cannot be read" in result.err


def test_a_terminal_sees_the_fit_live(scored, flags):
    parent, child = pty.openpty()
    code = "from dqlore.commands.main import main; main()"
    longer = ("--set", "train.epochs=40", "--stage", "fit")  # several drawings, however fast the machine
    command = [sys.executable, "-c", code, "train", *flags, "--out", str(scored), *longer]
    env = {**{k: v for k, v in os.environ.items() if k != "NO_COLOR"}, "TERM": "xterm-256color"}
    process = subprocess.Popen(command, stdin=child, stdout=child, stderr=child, env=env)
    os.close(child)
    seen = b""
    while True:
        try:
            piece = os.read(parent, 65536)
        except OSError:
            break
        if not piece:
            break
        seen += piece
    os.close(parent)
    assert process.wait() == 0
    assert "fit: " in seen.decode() and "loss" in seen.decode()
