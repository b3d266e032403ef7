import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dqlore.core.files import atomic_folder, fingerprint, recover_folder, write_atomic

ENDLESS_WRITER = """
import sys
from pathlib import Path
from dqlore.core.files import atomic_folder, write_atomic
target = Path(sys.argv[1])
print("started", flush=True)
for round in range(10**9):
    text = f"{round % 10}" * 100_000
    write_atomic(target / "file", text)
    with atomic_folder(target / "folder") as folder:
        (folder / "a").write_text(text)
        (folder / "b").write_text(text)
"""


def whole(text):
    return len(text) == 100_000 and len(set(text)) == 1


def test_a_writer_killed_at_any_moment_leaves_whole_files(tmp_path):
    tmp_path = tmp_path / "target"
    tmp_path.mkdir()
    for delay in (0.05, 0.11, 0.17, 0.23):
        writer = subprocess.Popen(
            [sys.executable, "-c", ENDLESS_WRITER, str(tmp_path)], stdout=subprocess.PIPE, cwd=tmp_path
        )
        assert writer.stdout and writer.stdout.readline() == b"started\n"
        time.sleep(delay)
        os.kill(writer.pid, signal.SIGKILL)
        writer.wait()
        recover_folder(tmp_path / "folder")
        assert whole((tmp_path / "file").read_text())
        a, b = ((tmp_path / "folder" / name).read_text() for name in "ab")
        assert a == b and whole(a)
    with atomic_folder(tmp_path / "folder") as folder:
        (folder / "a").write_text("new")
    assert [p.name for p in tmp_path.iterdir() if p.is_dir()] == ["folder"], "left-over folders are cleaned"


def test_two_writers_of_one_folder_do_not_stop_each_other(tmp_path):
    code = (
        "import sys; from pathlib import Path; from dqlore.core.files import atomic_folder\n"
        "for i in range(60):\n"
        "    with atomic_folder(Path(sys.argv[1])) as folder: (folder / 'a').write_text('whole')\n"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "x")]) for _ in range(2)]
    assert [writer.wait() for writer in writers] == [0, 0]
    assert (tmp_path / "x" / "a").read_text() == "whole"


def test_a_failing_block_leaves_the_old_folder(tmp_path):
    with atomic_folder(tmp_path / "x") as folder:
        (folder / "a").write_text("old")
    with pytest.raises(RuntimeError), atomic_folder(tmp_path / "x") as folder:
        (folder / "a").write_text("half")
        raise RuntimeError
    assert (tmp_path / "x" / "a").read_text() == "old"
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".x")] == []


def test_a_failed_write_leaves_no_temporary_file(tmp_path):
    (tmp_path / "taken").mkdir()
    with pytest.raises(OSError):
        write_atomic(tmp_path / "taken", "text")
    assert [p.name for p in tmp_path.iterdir()].count("taken") == 1
    assert not [p for p in tmp_path.iterdir() if p.name.startswith(".taken")]


def test_fingerprints_know_where_parts_end():
    assert fingerprint("ab", "c") != fingerprint("a", "bc")
    assert fingerprint("\ud800") == fingerprint("\ud800")


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE)
    write_atomic(pipe, "whole")
    assert reader.communicate(timeout=10)[0] == b"whole"
    assert pipe.is_fifo()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".pipe")] == []


def test_a_link_stays_and_its_target_is_replaced(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    write_atomic(link, "new")
    assert link.is_symlink() and target.read_text() == "new"


def test_the_folder_one_stands_in_can_be_replaced(tmp_path, monkeypatch):
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    recover_folder(Path())
    with atomic_folder(Path()) as folder:
        (folder / "a").write_text("new")
    assert (here / "a").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir() if "here" in path.name] == ["here"]
