import ast
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from dqlore.core.settings_file import default_toml

ROOT = Path(__file__).parents[2]
HEAVY = {"torch", "transformers", "sentence_transformers", "faiss", "openai", "numpy", "rich", "textual", "pydantic"}


def test_help_imports_nothing_heavy():
    code = (
        "import sys\n"
        "from dqlore.commands.main import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: print('MODULES', *{m.partition('.')[0] for m in sys.modules})"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
    loaded = set(out.split("MODULES ")[1].split())
    assert not loaded & HEAVY


def test_core_knows_nothing_of_screens():
    for file in (ROOT / "core").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                assert name.split(".")[0] not in {"typer", "rich", "textual"}, file
                assert not name.startswith(("dqlore.commands", "dqlore.tui")), file
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                in_script = file.name == "generate.py"
                assert node.func.id != "print" or in_script, f"{file}: core reports, the caller prints"


def test_every_folder_of_the_package_is_packed():
    import tomli

    packed = set(tomli.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"])
    found = {
        ".".join(("dqlore", *folder.relative_to(ROOT).parts))
        for part in ("core", "commands", "tui")
        for folder in (ROOT / part, *(ROOT / part).rglob("*"))
        if folder.is_dir() and list(folder.glob("*.py"))
    }
    assert packed == found


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1", "TERM": "xterm-256color"}, {"TERM": "dumb"}])
@pytest.mark.parametrize(
    "arguments", [["--help"], ["ask", "--help"], ["methods"], ["data", "list"], ["select", "x", "--method", "?"]]
)
def test_no_escape_code_on_a_terminal_that_does_not_want_one(environment, arguments):
    parent, child = pty.openpty()
    code = "from dqlore.commands.main import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdin=child,
        stdout=child,
        stderr=child,
        env={**{k: v for k, v in os.environ.items() if k != "NO_COLOR"}, **environment},
    )
    os.close(child)
    seen = b""
    while True:
        try:
            piece = os.read(parent, 65536)
        except OSError:  # the other side is closed
            break
        if not piece:
            break
        seen += piece
    os.close(parent)
    assert process.wait() in (0, 2)
    assert len(seen) > 50
    assert b"\x1b" not in seen


def test_init_writes_the_template_once(cli, tmp_path):
    assert cli("init").out == "dqlore.toml\n"
    assert Path("dqlore.toml").read_text() == default_toml()
    Path("dqlore.toml").write_text("# mine\n")
    again = cli("init")
    assert again.code == 2
    assert "--force" in again.err
    assert Path("dqlore.toml").read_text() == "# mine\n"
    assert cli("init", "--force").code == 0
    assert Path("dqlore.toml").read_text() == default_toml()
    Path("sub").mkdir()
    assert cli("init", "sub").code == 0
    assert Path("sub/dqlore.toml").is_file()


def test_init_in_a_folder_that_cannot_be_made(cli):
    Path("file").write_text("")
    result = cli("init", "file/dqlore.toml")
    assert result.code == 2
    assert "file/dqlore.toml" in result.err


def test_version(cli):
    assert cli("--version").out.startswith("dqlore 0.")


def test_methods_lists_every_method_with_its_cost(cli):
    from dqlore.core.methods import METHODS

    rows = {row["name"]: row for row in cli("methods", "--json").json}
    assert list(rows) == list(METHODS)
    assert rows["dq-lore"]["lm_calls"] == 2 and rows["dq-lore"]["encodes"] == 1
    assert rows["bm25"]["lm_calls"] == 1 and rows["bm25"]["encodes"] == 0
    assert rows["epr+dq"]["encodes"] == 2
    assert [name for name, row in rows.items() if row["in_use"]] == ["dq-lore"]
    assert len(cli("methods").out.splitlines()) == len(METHODS)


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_crash(closed):
    code = "from dqlore.commands.main import main; main()"
    command = f"exec {sys.executable} -c '{code}' methods {closed}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_under_stdout_is_one_message():
    code = "from dqlore.commands.main import main; main()"
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-c", code, "methods"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (1, "error: No space left on device\n")


@pytest.mark.parametrize("arguments", [["init"], ["select", "x", "--index"], ["methods", "--config"]])
def test_a_name_that_is_too_long_is_one_message(cli, arguments):
    result = cli(*arguments, "y" * 300)
    assert result.code == 2
    assert "y" * 300 in result.err and "File name too long" in result.err and len(result.err.splitlines()) == 1


def test_without_arguments_the_help_is_no_error_message(cli):
    result = cli()
    assert result.code == 2
    assert result.err.startswith("Usage: dqlore")


def test_a_narrow_terminal_cuts_the_last_column_and_no_figure(tmp_path):
    import fcntl
    import struct
    import termios

    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    line = "[(12, '0.1234', 'ab-07', 'x' * 99)]"
    code = f"from dqlore.commands.render import rows; rows(('rank', 'score', 'id', 'q'), {line})"
    environment = {**{k: v for k, v in os.environ.items() if k != "NO_COLOR"}, "TERM": "xterm-256color"}
    subprocess.run([sys.executable, "-c", code], stdin=child, stdout=child, env=environment, check=True)
    os.close(child)
    line = os.read(parent, 4096).decode().splitlines()[1]
    os.close(parent)
    assert line.split()[:3] == ["12", "0.1234", "ab-07"]
    assert line.split()[3].startswith("xxx") and line.split()[3].endswith("…")
