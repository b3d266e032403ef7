import json

import pytest

QUESTION = "A crate holds 20 jars. How many jars fill 5 crates?"


def test_json_is_one_document_and_warnings_go_to_stderr(cli, pool_file):
    result = cli("select", QUESTION, "--pool", pool_file, "--method", "bm25", "-n", "20", "--json")
    assert result.code == 0
    assert len(result.json["exemplars"]) == 12
    assert "12 of 20 exemplars" in result.err
    assert {e["id"] for e in result.json["exemplars"]} == {f"row-{i}" for i in range(2, 14)}
    assert result.json["warnings"] == ["12 of 20 exemplars: there are no more to choose from"]


def test_a_given_rationale_needs_no_language_model(cli, pool_file):
    result = cli("select", QUESTION, "--pool", pool_file, "--cot", "5 * 20 = 100", "--lm", "openai:none", "--json")
    assert result.code == 0
    assert result.json["cot"] == "5 * 20 = 100"
    assert len(result.json["exemplars"]) == 8
    assert [e["rank"] for e in result.json["exemplars"]] == list(range(1, 9))
    assert {"id", "rank", "score", "candidate_rank", "question", "rationale", "answer"} <= set(
        result.json["exemplars"][0]
    )


def test_plain_output_has_whole_questions_one_a_line(cli, pool_file, tmp_path):
    long = "Zed asks about jars: " + "very " * 80 + "[bold]long[/bold]?"
    path = tmp_path / "long.jsonl"
    path.write_text(json.dumps({"question": long, "answer": "1"}) + "\n")
    result = cli("select", "jars?", "--pool", path, "--method", "bm25")
    lines = result.out.splitlines()
    assert len(lines) == 1
    assert lines[0].split("\t")[-1] == long


def test_the_prompt_form_is_the_final_prompt(cli, pool_file):
    result = cli("select", QUESTION, "--pool", pool_file, "--method", "bm25", "-n", "2", "--prompt")
    assert result.out.rstrip().endswith(f"Question: {QUESTION}\nAnswer:")
    assert result.out.count("The answer is") == 3  # the instruction and two exemplars


def test_order_best_first_is_the_reverse_of_best_last(cli, pool_file):
    def questions(*more):
        result = cli("select", QUESTION, "--pool", pool_file, "--method", "bm25", "-n", "4", "--prompt", *more)
        return [line for line in result.out.splitlines() if line.startswith("Question:")][:-1]

    assert questions() == questions()
    assert questions("--set", "select.order=best-first") == questions()[::-1]


def test_many_questions_give_one_json_line_each_in_order(cli, pool_file, tmp_path):
    asked = tmp_path / "asked.jsonl"
    asked.write_text(
        "".join(json.dumps({"id": i, "question": f"{QUESTION} {i}", "cot": f"{i} * 20"}) + "\n" for i in range(5))
    )
    result = cli("select", "--in", asked, "--pool", pool_file)
    rows = [json.loads(line) for line in result.out.splitlines()]
    assert [row["id"] for row in rows] == ["0", "1", "2", "3", "4"]
    assert [row["cot"] for row in rows] == [f"{i} * 20" for i in range(5)]
    assert all(len(row["exemplars"]) == 8 for row in rows)


def test_a_batch_with_a_failure_tries_all_and_exits_1(cli, pool_file, tmp_path):
    recorded = tmp_path / "recorded.jsonl"
    recorded.write_text(json.dumps({"question": "known?", "completion": "Five."}) + "\n")
    asked = tmp_path / "asked.jsonl"
    asked.write_text("".join(json.dumps({"question": q}) + "\n" for q in ("known?", "unknown?", "KNOWN?")))
    result = cli("select", "--in", asked, "--pool", pool_file, "--first-lm", f"replay:{recorded}")
    rows = [json.loads(line) for line in result.out.splitlines()]
    assert result.code == 1
    assert ["error" in row for row in rows] == [False, True, False]
    assert "unknown?" in rows[1]["error"]
    assert "1 of 3 questions failed" in result.err


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ["is empty"]),
        ("\n \n", ["no questions"]),
        ('{"prompt": "x"}\n', ["line 1", "question", "fields found: prompt"]),
        ('{"question": "x"}\n{"question": "y\n', ["line 2", "not valid JSON"]),
        ('{"question": "x", "cot": 7}\n', ["line 1", "cot"]),
    ],
)
def test_a_bad_question_file_names_file_and_line(cli, pool_file, tmp_path, text, parts):
    asked = tmp_path / "asked[1].jsonl"
    asked.write_text(text)
    result = cli("select", "--in", asked, "--pool", pool_file, "--method", "bm25")
    assert result.code == 2
    assert result.out == ""
    for part in ["asked[1].jsonl", *parts]:
        assert part in result.err


def test_questions_come_from_a_pipe(shell, pool_file):
    result = shell("select", "--pool", pool_file, "--method", "bm25", "--json", stdin=QUESTION + "\n")
    assert result.json["question"] == QUESTION
    rows = shell("select", "--in", "-", "--pool", pool_file, "--method", "bm25", stdin='{"question": "jars?"}\n')
    assert json.loads(rows.out)["question"] == "jars?"


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["", "--method", "bm25"], "the question is empty"),
        (["x", "--method", "bm52"], "did you mean 'bm25'"),
        (["x", "--rerank", "pcaa"], "kernel-pca"),
        (["x", "-m", "0"], "select.m = 0"),
        (["x", "--dim", "0"], "rerank.dim = 0"),
        (["x", "--set", "rerank.sigma=-1"], "rerank.sigma = -1"),
        (["x", "--set", "rerank.alpha=-0.5"], "rerank.alpha"),
        (["x", "--set", "select"], "KEY=VALUE"),
        (["x", "--pool", "pool[old].jsonl"], "pool[old].jsonl"),
        (["x", "--map", "question"], "FIELD=NAME"),
        (["x", "--prompt", "--json"], "--prompt and --json"),
        (["x", "--in", "y"], "--in takes"),
        (["x", "--index", "nowhere"], "nowhere"),
        (["x", "--encoder", "./nowhere", "--method", "epr"], "./nowhere"),
        (["x", "--config", "gone.toml"], "gone.toml"),
        (["x", "--lm", "smollm"], "local:MODEL"),
        (["x", "--bogus"], "No such option"),
        (["x", "--device", "cuda:7", "--cot", "y"], "cuda:7"),
    ],
)
def test_wrong_usage_is_one_message_and_exit_code_2(cli, arguments, part):
    result = cli("select", *arguments)
    assert result.code == 2
    assert result.out == ""
    assert part.lower() in result.err.lower()
    assert len(result.err.strip().splitlines()) <= 2


def test_the_index_is_loaded_when_it_fits_and_refused_when_it_does_not(cli, pool_file):
    assert cli("index", "--pool", pool_file, "--out", "made").code == 0
    before = (pool_file.parent / "made" / "vectors.npy").stat().st_mtime_ns
    first = cli("select", QUESTION, "--index", "made", "--cot", "x", "--json")
    again = cli("select", QUESTION, "--index", "made", "--pool", pool_file, "--cot", "x", "--json")
    assert first.json["exemplars"] == again.json["exemplars"]
    assert (pool_file.parent / "made" / "vectors.npy").stat().st_mtime_ns == before
    pool_file.write_text(pool_file.read_text().replace("jars", "tins"))
    for _ in range(3):
        stale = cli("select", QUESTION, "--index", "made", "--pool", pool_file, "--cot", "x", "--json")
        assert stale.code == 2
        assert "dqlore index --pool" in stale.err
    cached = cli("select", QUESTION, "--pool", pool_file, "--cot", "x", "--json")
    assert "tins" in cached.json["exemplars"][0]["question"]


def test_a_closed_pipe_ends_in_silence(shell, pool_file):
    command = (
        "import subprocess, sys; p = subprocess.Popen([sys.executable, '-c', "
        "'from dqlore.commands.main import main; main()', 'data', 'list'], stdout=subprocess.PIPE, "
        "stderr=subprocess.PIPE); p.stdout.close(); print(p.stderr.read().decode()); print(p.wait())"
    )
    import subprocess
    import sys

    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True)
    assert done.stdout.split() == ["1"]
