import json
import os
import signal
import subprocess
import sys
import time

import pytest

from dqlore.core.starter import heldout
from stub_server import StubServer, chat_reply, chat_stream, chunk, error_reply, event, event_stream, head

QUESTION = "A crate holds 20 jars. How many jars fill 5 crates?"
SECRET = "sk-test-SECRET123"


@pytest.fixture
def bundled(monkeypatch, model_cache):
    """The bundled models, converted once per machine."""
    monkeypatch.setenv("DQLORE_CACHE__PATH", str(model_cache))


def served(cli, server, pool_file, *arguments):
    """Ask with the final and first query at a stub server."""
    return cli("ask", QUESTION, "--pool", pool_file, "--lm", "openai:stub", "--base-url", server.url, *arguments)


def test_the_whole_pipeline_on_the_bundled_models(cli, bundled):
    question = heldout()[0].question
    result = cli("ask", question, "--json", "--no-cache", "--set", "lm.max_tokens=48")
    document = result.json
    assert result.code == 0
    assert document["question"] == question and document["method"] == "dq-lore"
    assert document["cot"]
    assert [c["rank"] for c in document["candidates"]] == list(range(1, 65))
    assert [e["rank"] for e in document["exemplars"]] == list(range(1, 9))
    by_id = {c["id"]: c for c in document["candidates"]}
    for exemplar in document["exemplars"]:
        assert by_id[exemplar["id"]]["rank"] == exemplar["candidate_rank"]
        assert exemplar["rationale"] and exemplar["answer"]
    assert document["completion"]
    assert all(seconds > 0 for seconds in document["timings"].values())
    assert document["usage"]["prompt_tokens"] > 1000 and document["usage"]["completion_tokens"] > 0
    again = cli("ask", question, "--json", "--no-cache", "--set", "lm.max_tokens=48").json
    assert again["completion"] == document["completion"] and again["exemplars"] == document["exemplars"]


def test_people_see_each_stage(cli, pool_file):
    with StubServer(
        [chat_stream("First ", "5 * 20."), chat_stream("5 * 20 = 100.\n", "The answer is 100.")]
    ) as server:
        result = served(cli, server, pool_file)
    assert result.code == 0
    heads = ["First query", "Candidates", "Exemplars", "Reply", "Answer"]
    assert [line.split("  ")[0] for line in result.out.splitlines() if line.split("  ")[0] in heads] == heads
    assert "First 5 * 20." in result.out
    assert result.out.rstrip().endswith("100")
    assert "row-" in result.out


def test_options_are_shown_and_the_letter_is_read(cli, pool_file):
    with StubServer([chat_stream("It is the second. The answer is (B).")]) as server:
        arguments = ["--method", "bm25", "--option", "90", "--option", "100", "--set", "task.kind=choice", "--json"]
        result = served(cli, server, pool_file, *arguments)
        sent = server.requests[0].body["messages"][-1]["content"]
    assert sent == f"{QUESTION}\n(A) 90\n(B) 100"
    assert result.json["answer"] == "B"


def test_stdout_holds_one_document_while_warnings_go_to_stderr(cli, pool_file):
    with StubServer([chat_stream("The answer is 100.")]) as server:
        result = served(cli, server, pool_file, "--method", "bm25", "-n", "30", "--json")
    assert result.json["answer"] == "100"
    assert result.out.count("\n") == 1
    assert "12 of 30 exemplars" in result.err


def test_a_reply_without_an_answer_is_said_to_have_none(cli, pool_file):
    with StubServer([chat_stream("I cannot tell.")]) as server:
        result = served(cli, server, pool_file, "--method", "bm25")
        assert "none found in the reply" in result.out
        assert served(cli, server, pool_file, "--method", "bm25", "--json").json["answer"] is None


def test_control_codes_of_a_model_do_not_reach_the_terminal(cli, pool_file):
    with StubServer([chat_stream("\x1b[2J[bold]100[/bold]\u202e\x07", " The answer is 100.")]) as server:
        result = served(cli, server, pool_file, "--method", "bm25")
    assert "\x1b" not in result.out and "\x07" not in result.out and "\u202e" not in result.out
    assert "[bold]100[/bold]" in result.out


FAULTS = {
    "invalid JSON": [head(), b'{"choices": [{"mess'],
    "a refusal that repeats the key": error_reply(f"Incorrect API key provided: {SECRET}", 401),
    "a broken stream": event_stream(event(chunk("The answer is 1"))),
    "quota": error_reply(f"quota of {SECRET}", 429, code="insufficient_quota"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_failure_is_one_message_without_the_key(cli, pool_file, tmp_path, monkeypatch, fault):
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    with StubServer([FAULTS[fault]]) as server:
        result = served(cli, server, pool_file, "--method", "bm25", "--json", "--set", "endpoint.max_retries=0")
        assert SECRET in server.requests[0].headers["authorization"]
    assert result.code == 1
    assert result.out == ""
    assert result.err.startswith("error: ")
    assert "SECRET" not in result.err
    kept = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert kept and not any(SECRET.encode() in file.read_bytes() for file in kept)


def test_a_closed_port_and_a_missing_key_say_what_to_do(cli, pool_file):
    arguments = ["ask", QUESTION, "--pool", pool_file, "--method", "bm25", "--lm", "openai:stub"]
    started = time.monotonic()
    closed = cli(*arguments, "--base-url", "http://127.0.0.1:9", "--set", "endpoint.max_retries=0")
    assert time.monotonic() - started < 5
    assert closed.code == 1
    assert "http://127.0.0.1:9" in closed.err and "connection refused" in closed.err
    hosted = cli(*arguments)
    assert hosted.code == 2
    assert "OPENAI_API_KEY" in hosted.err


def test_exemplars_are_dropped_when_the_server_says_the_prompt_is_too_long(cli, pool_file):
    def script(request):
        if len(request.body["messages"]) > 10:
            return error_reply("This model's maximum context length is 400 tokens", 400)
        return chat_stream("The answer is 100.")

    with StubServer(script) as server:
        result = served(cli, server, pool_file, "--method", "bm25", "--json")
    assert result.json["answer"] == "100"
    assert "4 of 8 exemplars dropped" in result.err
    assert len(server.requests) == 2


def test_a_cached_reply_is_not_asked_again_unless_wanted(cli, pool_file):
    with StubServer([chat_stream("The answer is 100.")]) as server:
        for extra in ([], [], ["--no-cache"], ["--set", "lm.max_tokens=9"]):
            assert served(cli, server, pool_file, "--method", "bm25", "--json", *extra).json["answer"] == "100"
        assert len(server.requests) == 3


def test_interrupting_exits_130_and_hangs_up(tmp_path, pool_file):
    with StubServer([event_stream(event(chunk("wait ")), 30.0)]) as server:
        code = "from dqlore.commands.main import main; main()"
        arguments = ["ask", QUESTION, "--pool", str(pool_file), "--method", "bm25", "--lm", "openai:stub"]
        process = subprocess.Popen(
            [sys.executable, "-c", code, *arguments, "--base-url", server.url],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "DQLORE_CACHE__PATH": str(tmp_path / "cache")},
        )
        assert process.stdout
        seen = b""
        while b"wait" not in seen:
            seen += os.read(process.stdout.fileno(), 4096)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
        assert process.returncode == 130
        assert err.decode() == "error: interrupted\n"
        assert server.requests[0].hung_up.wait(5)


def test_doctor_checks_an_endpoint_by_asking(cli, pool_file):
    with StubServer([chat_reply("ready")]) as server:
        good = cli("doctor", "--lm", "openai:stub", "--base-url", server.url, "--pool", pool_file, "--json")
    assert good.code == 0 and good.json["ok"]
    states = {check["name"]: check["state"] for check in good.json["checks"]}
    assert set(states.values()) == {"ok"}
    assert {"settings", "device", "pool", "encoder", "index", "lm", "cache", "data"} <= states.keys()
    bad = cli(
        "doctor", "--lm", "openai:stub", "--base-url", "http://127.0.0.1:9", "--pool", "missing.jsonl", "--json"
    )
    assert bad.code == 1 and not bad.json["ok"]
    failed = {check["name"] for check in bad.json["checks"] if check["state"] == "failed"}
    assert failed == {"pool", "index", "lm"}


def test_a_damaged_cache_is_set_aside_with_one_warning(cli, pool_file, tmp_path):
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "replies.sqlite").write_text("hello")
    with StubServer([chat_stream("The answer is 100.")]) as server:
        first = served(cli, server, pool_file, "--method", "bm25", "--json")
        second = served(cli, server, pool_file, "--method", "bm25", "--json")
    assert first.json["answer"] == second.json["answer"] == "100"
    assert "replies.sqlite" in first.err and "warning" in first.err
    assert second.err == ""
    assert len(server.requests) == 1
    assert any(file.read_bytes() == b"hello" for file in (tmp_path / "cache").iterdir() if file.is_file())


def test_ask_reads_a_pipe_and_refuses_an_empty_one(shell, pool_file):
    with StubServer([chat_stream("The answer is 100.")]) as server:
        common = ["--pool", pool_file, "--method", "bm25", "--lm", "openai:stub", "--base-url", server.url, "--json"]
        assert json.loads(shell("ask", *common, stdin=f"{QUESTION}\n").out)["question"] == QUESTION
        assert json.loads(shell("ask", "-", *common, stdin=QUESTION).out)["answer"] == "100"
        assert shell("ask", *common, stdin="  \n").code == 2
