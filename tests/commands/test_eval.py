"""`dqlore eval` as a shell sees it: what is on stdout, what on stderr, the exit code, and interruptions."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dqlore.core.evaluate.folder import read_records
from evaluations import comparable
from stub_server import StubServer, chat_reply

ROWS = 40
RIGHT = 30


@pytest.fixture
def files(tmp_path):
    """Questions and their recorded replies: the first RIGHT of them are right."""
    with (tmp_path / "questions.jsonl").open("w") as asked, (tmp_path / "replies.jsonl").open("w") as replies:
        for i in range(ROWS):
            question = f"What is {i} and 1 more?"
            asked.write(json.dumps({"id": f"q{i}", "question": question, "answer": str(i + 1)}) + "\n")
            completion = f"{i} + 1 = {i + 1}\nThe answer is {i + 1 + (i >= RIGHT)}."
            replies.write(json.dumps({"question": question, "completion": completion}) + "\n")
    return tmp_path


def arguments(files, *more, method="cot"):
    return [
        "eval", "--in", str(files / "questions.jsonl"), "--method", method,
        "--lm", f"replay:{files / 'replies.jsonl'}", *map(str, more),
    ]  # fmt: skip


def dqlore(*arguments):
    entry = Path(sys.executable).with_name("dqlore")
    return subprocess.run([entry, *arguments], capture_output=True, text=True, check=False, timeout=120)


def test_one_method_is_one_json_object_and_nothing_else(files):
    done = dqlore(*arguments(files, "--json", "--out", "run", "--fail-under", "0.5"))
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert list(summary)[:3] == ["dataset", "split", "method"]
    assert {
        "n",
        "correct",
        "accuracy",
        "ci95",
        "unparsed",
        "errors",
        "nll",
        "timings",
        "usage",
        "run",
    } <= summary.keys()
    assert (summary["n"], summary["correct"], summary["accuracy"]) == (ROWS, RIGHT, RIGHT / ROWS)
    assert summary["ci95"] == pytest.approx([0.5981, 0.8581], abs=1e-4)
    assert summary["run"] == "run" and json.loads(Path("run/summary.json").read_text()) == summary
    assert f"{ROWS}/{ROWS}" in done.stderr and "accuracy 0.750" in done.stderr


def test_several_methods_are_a_list_with_a_folder_each(files):
    done = dqlore(*arguments(files, "--json", "--out", "runs", "--limit", 5, method="cot,random,bm25"))
    assert done.returncode == 0, done.stderr
    assert [(s["method"], s["n"], s["run"]) for s in json.loads(done.stdout)] == [
        ("cot", 5, "runs/cot"), ("random", 5, "runs/random"), ("bm25", 5, "runs/bm25"),
    ]  # fmt: skip


def test_below_fail_under_is_exit_code_3(files):
    done = dqlore(*arguments(files, "--fail-under", "0.9"))
    assert done.returncode == 3
    assert "0.7500" in done.stdout


def test_questions_that_fail_are_exit_code_1_and_are_asked_again(files):
    replies = (files / "replies.jsonl").read_text()
    (files / "replies.jsonl").write_text("".join(replies.splitlines(keepends=True)[:-2]))
    done = dqlore(*arguments(files, "--out", "run", "--json"))
    assert done.returncode == 1
    assert json.loads(done.stdout)["errors"] == 2
    assert "--resume" in done.stderr


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--dataset", "gsm8k", "--in", "x.jsonl"], "either --dataset or --in"),
        ([], "either --dataset or --in"),
        (["--dataset", "gsm8", "--data", "."], "gsm8k"),
        (["--dataset", "starter", "--method", "epr,dqlore"], "dq-lore"),
        (["--dataset", "starter", "--resume"], "--resume needs --out"),
        (["--dataset", "starter", "--metric", "nll", "--fail-under", "0.5"], "no accuracy"),
        (["--dataset", "starter", "--samples", "5"], "self-consistency"),
        (["--dataset", "starter", "--split", "train"], "held-out"),
        (["--in", "nowhere.jsonl"], "nowhere.jsonl"),
    ],
)
def test_wrong_usage_is_exit_code_2_with_a_reason(capsys, flags, message):
    from dqlore.commands.main import main

    with pytest.raises(SystemExit) as end:
        main(["eval", *flags])
    assert end.value.code == 2
    printed = capsys.readouterr()
    assert message in printed.err and printed.out == ""


def test_questions_without_a_gold_answer_are_named(capsys, tmp_path):
    from dqlore.commands.main import main

    (tmp_path / "q.jsonl").write_text('{"question": "How many?", "answer": ""}\n')
    with pytest.raises(SystemExit) as end:
        main(["eval", "--in", str(tmp_path / "q.jsonl"), "--method", "cot"])
    assert end.value.code == 2
    assert "no gold answer" in capsys.readouterr().err


def test_recorded_completions_of_multiarith_reproduce_their_accuracy(data, capsys):
    from dqlore.commands.main import main

    recorded = data / "recorded" / "multiarith.jsonl"
    with pytest.raises(SystemExit) as end:
        main(["eval", "--dataset", "multiarith", "--data", str(data), "--method", "cot", "--lm", f"replay:{recorded}",
              "--json", "--out", "run"])  # fmt: skip
    summary = json.loads(capsys.readouterr().out)
    assert end.value.code == 0
    assert (summary["n"], summary["correct"], summary["errors"]) == (600, 480, 0)


def test_a_dataset_brings_its_training_split_and_another_can_take_its_place(data, capsys):
    from dqlore.commands.main import main

    recorded = data / "recorded" / "svamp.jsonl"
    for pool, source in (
        ([], "train_cot.json"),
        (["--pool", "gsm8k"], "train.jsonl"),
        (["--pool", "starter"], "starter"),
    ):
        out = f"run-{source}"
        with pytest.raises(SystemExit) as end:
            main(["eval", "--dataset", "svamp", "--data", str(data), "--method", "bm25", "--limit", "3", "--json",
                  "--lm", f"replay:{recorded}", "--out", out, *pool])  # fmt: skip
        assert end.value.code == 0, capsys.readouterr().err
        assert json.loads(Path(out, "config.json").read_text())["pool"]["source"].endswith(source)


class Interrupted:
    """A run that is stopped by signals until it is done, against a server that takes its time."""

    def __init__(self, files, url, out, cache=None):
        self.env = {**os.environ, **({"XDG_CACHE_HOME": str(cache)} if cache else {})}
        self.command = [
            Path(sys.executable).with_name("dqlore"), "eval", "--in", files / "questions.jsonl", "--method", "bm25",
            "--lm", "openai:stub", "--base-url", url, "--concurrency", "2", "--json", "--out", out,
        ]  # fmt: skip
        self.out = Path(out)

    def whole(self):
        return subprocess.run(self.command, capture_output=True, text=True, check=True, timeout=120, env=self.env)

    def start(self):
        """Start or go on, in a session of its own so that a signal reaches nothing else."""
        return subprocess.Popen(
            [*self.command, "--resume"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env=self.env,
        )

    def recorded(self):
        records = self.out / "records.jsonl"
        return len(records.read_bytes().splitlines()) if records.exists() else 0


@pytest.fixture
def server(files):
    """Answers after 30 ms; `requests` says what it was asked."""

    def reply(request):
        question = request.body["messages"][-1]["content"]
        number = int(question.split()[2])
        answer = "I cannot tell." if number % 10 == 3 else f"The answer is {number + 1 + (number >= RIGHT)}."
        return [0.03, *chat_reply(answer)]

    with StubServer(reply) as running:
        yield running


@pytest.mark.slow
def test_an_interrupted_run_goes_on_and_ends_like_a_whole_one(files, server):
    """Ctrl-C and kill -9, ten times in turn, each after a few more records."""
    draw = random.Random(5)
    Interrupted(files, server.url, "whole").whole()
    asked = len(server.requests)
    stopped = Interrupted(files, server.url, "stopped", files / "own-cache")
    codes = []
    for attempt in range(10):
        process = stopped.start()
        goal = stopped.recorded() + draw.randint(1, 4)
        while stopped.recorded() < goal and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT if attempt % 2 else signal.SIGKILL)
        _, messages = process.communicate(timeout=60)
        codes.append(process.returncode)
        assert "Traceback" not in messages, messages
    assert set(codes) == {-signal.SIGKILL, 130}
    process = stopped.start()
    printed, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    whole = json.loads(Path("whole/summary.json").read_text())
    assert comparable(json.loads(printed)) == comparable(whole)
    assert len(list(read_records(Path("stopped")))) == ROWS
    assert len(server.requests) <= 2 * asked + 10 * 2  # only what was under way is asked again


def test_two_processes_share_a_cache(files, server):
    runs = [Interrupted(files, server.url, name) for name in ("one", "two", "three")]
    processes = [run.start() for run in runs]
    ends = [(process.communicate(timeout=120), process.returncode) for process in processes]
    assert [code for _, code in ends] == [0, 0, 0], [messages for (_, messages), _ in ends]
    summaries = [comparable(json.loads(printed)) for (printed, _), _ in ends]
    assert summaries[0] == summaries[1] == summaries[2]
    for run in runs:
        assert len({row["id"] for row in read_records(run.out)}) == ROWS
    again = Interrupted(files, server.url, "four")
    before = len(server.requests)
    again.whole()
    assert len(server.requests) == before
    assert os.path.exists(Path(os.environ["XDG_CACHE_HOME"]) / "dqlore" / "replies.sqlite")
