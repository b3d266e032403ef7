"""`dqlore tui` as a process: refused without a terminal, and one session in a real one."""

import json
import os
import resource
import shutil
import subprocess
import sys
import time
import uuid

import pytest

QUESTION = "How many boats are 3 boats and 4 more boats?"
COMMAND = [sys.executable, "-c", "from dqlore.commands.main import main; main()", "tui"]


@pytest.mark.parametrize("stdin", [subprocess.DEVNULL, subprocess.PIPE])
def test_without_a_terminal_it_says_so_and_stops(tmp_path, stdin):
    out = tmp_path / "out"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with out.open("wb") as file:
        done = subprocess.run(
            COMMAND, stdin=stdin, stdout=file, stderr=subprocess.PIPE, timeout=20, start_new_session=True, check=False
        )
    assert done.returncode == 2
    assert done.stderr.decode().splitlines() == ["error: needs a terminal, use ask"]
    assert out.read_bytes() == b""
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Time of its own: the clock would also count what else the machine does.
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 2


def test_an_unknown_method_is_refused_before_the_screen_opens(tmp_path):
    script = shutil.which("script")
    if script is None:
        pytest.skip("script (util-linux) is not installed: no pseudo-terminal to start in")
    log = tmp_path / "log"
    command = " ".join(f"'{word}'" for word in [*COMMAND, "--method", "nothing"])
    done = subprocess.run([script, "-qec", command, str(log)], capture_output=True, timeout=60, check=False)
    assert done.returncode == 2
    assert b"unknown method 'nothing'" in log.read_bytes()
    assert b"\x1b[?1049h" not in log.read_bytes()


class Tmux:
    """A terminal of its own, apart from any session of the person who runs the tests."""

    def __init__(self, width: int, height: int, environment: dict[str, str]) -> None:
        self._socket = f"dqlore-test-{uuid.uuid4().hex}"
        self._environment = environment
        self("-f", "/dev/null", "new-session", "-d", "-s", "s", "-x", str(width), "-y", str(height), "sh")

    def __call__(self, *arguments: str) -> str:
        command = ["tmux", "-u", "-L", self._socket, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, env=self._environment, timeout=20, check=True)
        return done.stdout

    def type(self, *keys: str) -> None:
        self("send-keys", "-t", "s", *keys)

    def screen(self) -> str:
        return self("capture-pane", "-p", "-t", "s")

    def wait(self, text: str, seconds: float = 60) -> str:
        end = time.monotonic() + seconds
        while text not in (shown := self.screen()):
            assert time.monotonic() < end, f"{text!r} did not appear in:\n{shown}"
            time.sleep(0.1)
        return shown


@pytest.fixture
def terminal(tmp_path):
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed: no real terminal to test in")
    opened = Tmux(120, 40, {**os.environ, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"})
    yield opened
    opened("kill-server")


def test_a_session_in_a_real_terminal_from_launch_to_answer(tmp_path, terminal):
    question = "How many boats are {0} boats and {0} more?"
    pool = [
        {"id": f"[e{i}]", "question": question.format(i), "rationale": f"{i} + {i} = {2 * i}", "answer": str(2 * i)}
        for i in range(12)
    ]
    replies = [{"question": QUESTION, "completion": "3 boats [and] 4 boats: 3 + 4 = 7\nThe answer is 7."}]
    for name, rows in (("pool.jsonl", pool), ("replies.jsonl", replies)):
        tmp_path.joinpath(name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    options = f"--method bm25 --pool {tmp_path}/pool.jsonl --lm replay:{tmp_path}/replies.jsonl"
    start = " ".join(f"'{word}'" for word in COMMAND)
    terminal.type(f"{start} {options}; echo left with $?", "Enter")
    terminal.wait("pool.jsonl: 12 exemplars")
    terminal.type("-l", QUESTION)
    terminal.wait(QUESTION)
    terminal.type("Enter")
    shown = terminal.wait("total")
    assert "3 boats [and] 4 boats" in shown
    assert "[e3]" in shown
    assert "Exemplars 8" in shown
    terminal("resize-window", "-t", "s", "-x", "80", "-y", "24")
    terminal.wait("Candidates 12")
    terminal.type("C-c")
    terminal.wait("Ctrl+Q quits")
    terminal.type("C-q")
    terminal.wait("left with 0")
