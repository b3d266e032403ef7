import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from dqlore.commands.main import main


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def cli(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Result]:
    """Run the command line in this process with its own cache folder; returns exit code, stdout and stderr."""
    monkeypatch.setenv("DQLORE_CACHE__PATH", str(tmp_path / "cache"))

    def run(*arguments: str) -> Result:
        capfd.readouterr()
        with pytest.raises(SystemExit) as stopped:
            main([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        return Result(int(stopped.value.code or 0), out, err)

    return run


@pytest.fixture
def shell(tmp_path: Path) -> Callable[..., Result]:
    """Run the command line as a process of its own, with stdin given as text."""

    def run(*arguments: str, stdin: str = "", **environment: str) -> Result:
        env = {**os.environ, "DQLORE_CACHE__PATH": str(tmp_path / "cache"), **environment}
        command = [sys.executable, "-c", "from dqlore.commands.main import main; main()", *map(str, arguments)]
        done = subprocess.run(command, input=stdin, capture_output=True, text=True, env=env, timeout=120)
        return Result(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def pool_file(tmp_path: Path) -> Path:
    """A pool of twelve solved cases about crates and trains."""
    path = tmp_path / "work" / "pool.jsonl"
    rows = [
        {
            "id": f"row-{i}",
            "question": f"A {'crate' if i % 2 else 'train'} holds {i} {'jars' if i % 2 else 'people'}. "
            f"How many do {i + 1} hold?",
            "rationale": f"Each holds {i}.\n{i} * {i + 1} = {i * (i + 1)}",
            "answer": str(i * (i + 1)),
        }
        for i in range(2, 14)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path
