"""`ask` and `eval` with methods that answer from passages, against a scripted server."""

import json

import pytest

from stub_server import StubServer, chat_reply, error_reply

QUESTION = "What caught three silver fish at dawn?"
REPLIES = {
    "different answers": "(a) the heron, (b) the owl",
    "is: the heron\nIn two": "The heron caught three fish at dawn.",
    "is: the owl\nIn two": "The owl caught mice.",
    "yes or no": "yes",
    "1 or 2": "1",
    "short phrase": "a swift",
}


def script(request):
    asked = request.body["messages"][-1]["content"]
    return chat_reply(next(reply for words, reply in REPLIES.items() if words in asked))


@pytest.fixture
def birds(tmp_path):
    path = tmp_path / "work" / "birds.jsonl"
    rows = [
        {"id": "heron", "title": "Herons", "text": "The heron caught three silver fish at dawn."},
        {"id": "owl", "title": "Owls", "text": "The owl caught two mice at night. \x1b[2J"},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def ask(cli, server, birds, *arguments, method="sure"):
    reads = ["--passages", birds] if birds else []
    model = ["--lm", "openai:stub", "--base-url", server.url, "--set", "endpoint.max_retries=0"]
    return cli("ask", QUESTION, "--method", method, *reads, *model, "--no-stream", *arguments)


def test_ask_sure_as_json(cli, birds):
    with StubServer(script) as server:
        result = ask(cli, server, birds, "--json")
        assert len(server.requests) == 7
    assert result.code == 0 and "warning" not in result.err
    made = result.json
    assert made["answer"] == "the heron"
    assert made["candidates_answers"] == ["the heron", "the owl"]
    assert made["summaries"] == ["The heron caught three fish at dawn.", "The owl caught mice."]
    assert (made["validity"], made["ranking"]) == ([1, 1], [0.5, 0.5])
    assert [passage["id"] for passage in made["passages"]] == ["heron", "owl"]
    assert made["exemplars"] == made["candidates"] == []
    assert made["usage"]["prompt_tokens"] == 7 * 9


def test_ask_sure_shows_each_step(cli, birds):
    with StubServer(script) as server:
        result = ask(cli, server, birds)
    heads = ["Passages", "Answer candidates", "Summaries", "Verdicts", "Answer"]
    assert [line.split("  ")[0] for line in result.out.splitlines() if line.split("  ")[0] in heads] == heads
    assert "1 *\tyes\t0.5\t1.5\tthe heron" in result.out
    assert "7 calls" in result.out
    assert result.out.rstrip().endswith("the heron")
    assert "\x1b" not in result.out


@pytest.mark.parametrize(("method", "calls"), [("retrieval", 1), ("no-retrieval", 1), ("generic-summary", 2)])
def test_the_other_ways_to_read(cli, birds, method, calls):
    replies = {**REPLIES, "sum up": "Birds caught things."}
    with StubServer(lambda r: chat_reply(next(v for k, v in replies.items() if k in str(r.body)))) as server:
        result = ask(cli, server, birds, "--json", method=method)
        assert len(server.requests) == calls
    assert result.json["answer"] == "a swift"
    assert "candidates_answers" not in result.json


def test_a_failure_midway_is_one_message(cli, birds):
    def failing(request):
        return error_reply("out of memory", 400) if "1 or 2" in str(request.body) else script(request)

    with StubServer(failing) as server:
        result = ask(cli, server, birds, "--json")
    assert result.code == 1 and result.out == ""
    assert result.err.startswith("error: ") and "out of memory" in result.err


WRONG = [
    (["--passages", "nowhere.jsonl"], "there is no file nowhere.jsonl"),
    (["--passages", "empty.jsonl"], "empty.jsonl is empty"),
    (["--passages", "bad.jsonl"], "bad.jsonl, line 2: no field 'text'; fields found: words"),
    ([], "no passages to read: name a collection with --passages"),
    (["--passages", "birds.jsonl", "--set", "sure.k=0"], "sure.k = 0"),
    (["--passages", "birds.jsonl", "--set", "passages.n=0"], "passages.n = 0"),
    (["--passages", "birds.jsonl", "--set", "passages.map={ body = 'text' }"], "passages.map body"),
    (["--passages", "starter"], "there is no file starter"),
]


@pytest.mark.parametrize(("arguments", "said"), WRONG)
def test_wrong_use_is_one_message(cli, birds, arguments, said):
    (birds.parent / "empty.jsonl").write_text("")
    (birds.parent / "bad.jsonl").write_text('{"text": "a"}\n{"words": "b"}\n')
    result = cli("ask", QUESTION, "--method", "sure", "--lm", "openai:stub", "--base-url", "http://x", *arguments)
    assert (result.code, result.out) == (2, "")
    assert said in result.err


def test_an_empty_question_is_refused(cli, birds):
    result = cli("ask", "  ", "--method", "sure", "--passages", birds)
    assert result.code == 2 and "the question is empty" in result.err


def test_select_says_that_sure_chooses_no_exemplars(cli):
    result = cli("select", QUESTION, "--method", "sure")
    assert result.code == 2 and "use ask or eval" in result.err


def test_eval_by_three_methods_on_own_questions(cli, birds, tmp_path):
    asked = tmp_path / "work" / "asked.jsonl"
    asked.write_text(json.dumps({"id": "1", "question": QUESTION, "answer": "Heron"}) + "\n")
    with StubServer(script) as server:
        arguments = ["--in", asked, "--passages", birds, "--lm", "openai:stub", "--base-url", server.url]
        common = ["eval", *arguments, "--method", "sure,retrieval,no-retrieval", "--set", "task.kind=span"]
        table = cli(*common, "--out", "run")
        result = cli(*common, "--out", "again", "--json")
        assert len(server.requests) == 9  # the second time, all replies come from the cache
    assert table.code == result.code == 0
    assert [row["accuracy"] for row in result.json] == [1.0, 0.0, 0.0]
    assert [row["f1"] for row in result.json] == [1.0, 0.0, 0.0]
    assert [row["usage"]["calls"] for row in result.json] == [7, 1, 1]
    first = table.out.splitlines()[0].split("\t")
    assert first[:6] == ["sure", "1", "1.0000", "0.207–1.000", "1.0000", "0.000–1.000"]
