"""The OpenAI backend against a server that does what real ones do, good and bad."""

import asyncio
import logging
import math
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from dqlore.core.errors import ContextOverflow, Incomplete, LMError, UsageError
from dqlore.core.lm.base import Completion, Sampling
from dqlore.core.lm.openai import Endpoint, OpenAILM
from dqlore.core.prompts import Prompt, Shot
from stub_server import (
    DONE,
    Request,
    Step,
    Steps,
    StubServer,
    chat_body,
    chat_reply,
    chat_stream,
    chunk,
    error_reply,
    event,
    event_stream,
    head,
    json_reply,
)

from .asking import complete, model, run, streamed

SECRET = "sk-test-SECRET123"


def closed_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


# Streams


def test_stream_yields_pieces_then_the_completion_with_usage() -> None:
    with StubServer([chat_stream("Sev", "en", usage=(9, 2))]) as server:
        pieces, completion = streamed(model(server.url))
    assert pieces == ["Sev", "en"]
    assert completion == Completion("Seven", "stop", prompt_tokens=9, completion_tokens=2)
    assert server.requests[0].path == "/v1/chat/completions"
    assert server.requests[0].body["stream_options"] == {"include_usage": True}


def test_stream_takes_chunks_without_choices_at_both_ends() -> None:
    empty = event({"choices": [], "prompt_filter_results": []})
    last = event({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 1}})
    script = event_stream(
        empty, event(chunk(role="assistant")), event(chunk("7")), event(chunk(finish="stop")), last, DONE
    )
    with StubServer([script]) as server:
        pieces, completion = streamed(model(server.url))
    assert (pieces, completion.prompt_tokens) == (["7"], 3)


def test_stream_survives_keep_alives_empty_data_crlf_and_cut_letters() -> None:
    letters = event(chunk("ür")).replace(b"\n", b"\r\n")
    cut = letters.index("ü".encode()) + 1
    script = event_stream(
        b": ping\r\n\r\n",
        event(chunk("Z")).replace(b"\n", b"\r\n"),
        b": WAITING\r\n\r\ndata:\r\n\r\ndata: \r\n\r\n",
        letters[:cut],
        0.02,
        letters[cut:],
        b"event: message\r\nid: 3\r\n" + event(chunk("ich", finish="stop")),
        DONE,
    )
    with StubServer([script]) as server:
        pieces, completion = streamed(model(server.url))
    assert "".join(pieces) == completion.text == "Zürich"


def test_error_inside_a_stream_is_an_error() -> None:
    script = event_stream(
        event(chunk("The answer")),
        event(chunk(" is 1")),
        event({"error": {"message": "queue full", "code": 503}}),
        DONE,
    )
    pieces: list[str] = []
    with StubServer([script]) as server, pytest.raises(LMError, match="queue full"):
        streamed(model(server.url), pieces=pieces)
    assert pieces == ["The answer", " is 1"]


@pytest.mark.parametrize("body", [{"error": {"message": "queue full"}}, {"error": "queue full"}])
def test_error_inside_a_good_reply_is_an_error(body: dict[str, object]) -> None:
    with StubServer([json_reply(body)]) as server, pytest.raises(LMError, match="queue full"):
        complete(model(server.url))


def test_stream_that_breaks_off_is_incomplete_and_keeps_what_came() -> None:
    cut = event_stream(event(chunk("The answer")), event(chunk(" is 1")))
    with StubServer([cut]) as server, pytest.raises(Incomplete) as caught:
        streamed(model(server.url))
    assert caught.value.partial == "The answer is 1"


def test_stream_whose_chunked_coding_breaks_off_is_incomplete() -> None:
    data = event(chunk("The answer is 1"))
    start = head(content_type="text/event-stream", headers=[("Transfer-Encoding", "chunked")])
    script: list[Step] = [start, f"{len(data):x}\r\n".encode() + data + b"\r\n"]
    with StubServer([script]) as server, pytest.raises(Incomplete) as caught:
        streamed(model(server.url))
    assert caught.value.partial == "The answer is 1"


@pytest.mark.parametrize("tail", [[event(chunk(finish="stop"))], [DONE]])
def test_finish_reason_or_end_mark_alone_ends_a_stream(tail: list[Step]) -> None:
    with StubServer([event_stream(event(chunk("7")), *tail)]) as server:
        assert streamed(model(server.url))[1].text == "7"


def test_server_that_does_not_stream_is_read_all_the_same() -> None:
    with StubServer([chat_reply("Seven")]) as server:
        pieces, completion = streamed(model(server.url))
    assert (pieces, completion.text, completion.prompt_tokens) == (["Seven"], "Seven", 9)


def test_malformed_chunk_and_malformed_body_are_errors_without_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    junk = f"{{broken {SECRET}".encode()
    with StubServer([event_stream(b"data: " + junk + b"\n\n"), [head(), junk]]) as server:
        for ask in (streamed, complete):
            with pytest.raises(LMError, match="not a JSON object") as caught:
                ask(model(server.url))
            assert SECRET not in str(caught.value)


def test_key_shows_nowhere(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    caplog.set_level(logging.DEBUG)
    with StubServer([error_reply(f"Incorrect API key provided: {SECRET}", 401)]) as server:
        lm = model(server.url)
        with pytest.raises(LMError, match=r"OPENAI_API_KEY.*401.*\*\*\*") as caught:
            complete(lm)
        assert server.requests[0].headers["authorization"] == f"Bearer {SECRET}"
    shown = [str(caught.value), repr(caught.value), repr(lm), repr(vars(lm)), lm.identity, caplog.text]
    shown += [repr(vars(lm._transport))]
    assert not [text for text in shown if SECRET in text]


def test_silence_before_and_within_a_reply_ends_in_an_error() -> None:
    late, stuck = event_stream(5.0), event_stream(event(chunk("7")), b": ping\n\n", 0.1, b": ping\n\n", 5.0)
    for script, fields in ((late, {"first_token_timeout": 0.3}), (stuck, {"idle_timeout": 0.3})):
        began = time.monotonic()
        with StubServer([script]) as server, pytest.raises(LMError, match=r"nothing for 0\.3 s"):
            streamed(model(server.url, **fields))
        assert time.monotonic() - began < 3


def test_role_chunk_does_not_start_the_idle_clock() -> None:
    script = event_stream(event(chunk("", role="assistant")), 0.5, event(chunk("7", finish="stop")), DONE)
    with StubServer([script]) as server:
        assert streamed(model(server.url, idle_timeout=0.2, first_token_timeout=5))[1].text == "7"


def test_silent_server_ends_a_whole_reply_too() -> None:
    with StubServer([[5.0]]) as server, pytest.raises(LMError, match=r"nothing for 0\.3 s"):
        complete(model(server.url, total_timeout=0.3))


def test_closing_the_stream_closes_the_connection() -> None:
    script = event_stream(event(chunk("1")), 10.0, event(chunk("2", finish="stop")))
    with StubServer([script]) as server:

        async def read_one() -> str | Completion:
            lm = model(server.url)
            items = lm.stream(Prompt("?"), Sampling())
            first = await anext(items)
            await items.aclose()
            gone = await asyncio.to_thread(server.requests[0].hung_up.wait, 5)
            assert gone
            await lm.aclose()
            return first

        assert run(read_one()) == "1"


# Reasoning


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_fields_stay_apart_from_the_text(field: str) -> None:
    steps = [event(chunk(**{field: "3 plus 4 "})), event(chunk(None, **{field: "is 7"})), event(chunk("Seven"))]
    body = chat_reply("Seven", **{field: "3 plus 4 is 7"})
    with StubServer([event_stream(*steps, DONE), body]) as server:
        pieces, completion = streamed(model(server.url))
        [whole] = complete(model(server.url))
    assert pieces == ["Seven"]
    for reply in (completion, whole):
        assert (reply.text, reply.reasoning) == ("Seven", "3 plus 4 is 7")


@pytest.mark.parametrize("size", [1, 3, 100])
def test_think_tags_part_reasoning_from_text(size: int) -> None:
    said = "<think>\n3 plus 4 is 7\n</think>\n\nSeven <b>"
    pieces = [said[i : i + size] for i in range(0, len(said), size)]
    with StubServer([chat_stream(*pieces), chat_reply(said)]) as server:
        shown, completion = streamed(model(server.url))
        [whole] = complete(model(server.url))
    assert "".join(shown) == "Seven <b>"
    for reply in (completion, whole):
        assert (reply.text, reply.reasoning) == ("Seven <b>", "3 plus 4 is 7")


def test_closing_think_tag_alone_is_learned_from_the_first_reply() -> None:
    pieces = ["3 plus 4 ", "is 7</th", "ink>\n\nSev", "en"]
    with StubServer([chat_stream(*pieces)]) as server:
        lm = model(server.url)
        _, first = streamed(lm)
        shown, second = streamed(lm)
    assert "".join(shown) == "Seven"
    for reply in (first, second):
        assert (reply.text, reply.reasoning) == ("Seven", "3 plus 4 is 7")


def test_model_that_thinks_without_opening_tag_may_also_answer_at_once() -> None:
    with StubServer([chat_stream("7</think>Seven"), chat_stream("Ei", "ght")]) as server:
        lm = model(server.url)
        streamed(lm)
        assert streamed(lm)[1].text == "Eight"


@pytest.mark.parametrize(
    "message",
    [
        {"content": None, "reasoning_content": "3 plus 4"},
        {"content": "<think>3 plus 4"},
        {"content": "<think>3 plus 4</think>\n"},
    ],
)
def test_reasoning_without_an_answer_is_an_error_with_a_hint(message: dict[str, object]) -> None:
    body = {"choices": [{"message": message, "finish_reason": "length"}]}
    steps = event_stream(event({"choices": [{"delta": message, "finish_reason": "length"}]}), DONE)
    with StubServer([json_reply(body), steps]) as server:
        for ask in (complete, streamed):
            with pytest.raises(LMError, match=r"no final answer.*max_tokens"):
                ask(model(server.url))


def test_null_content_and_text_that_looks_like_a_tag() -> None:
    with StubServer([chat_reply(None), chat_stream("<thin", "g> and </", "b>"), chat_stream("  <")]) as server:
        assert complete(model(server.url))[0].text == ""
        assert streamed(model(server.url))[1].text == "<thing> and </b>"
        assert streamed(model(server.url))[1].text == "  <"


def test_length_is_passed_on_and_a_content_filter_is_an_error() -> None:
    with StubServer([chat_stream("The ans", finish="length"), chat_reply("x", finish="content_filter")]) as server:
        assert streamed(model(server.url))[1].finish_reason == "length"
        with pytest.raises(LMError, match="content filter"):
            complete(model(server.url))


# Waiting and trying again


def wait_headers() -> list[list[tuple[str, str]]]:
    date = datetime.now(UTC) + timedelta(seconds=2)
    return [
        [("Retry-After", "1")],
        [("retry-after-ms", "800")],
        [("Retry-After", format_datetime(date, usegmt=True))],
    ]


def test_waits_as_long_as_the_server_asks() -> None:
    async def seconds(headers: Sequence[tuple[str, str]]) -> float:
        with StubServer([error_reply("slow down", 429, headers), chat_reply("Seven")]) as server:
            began = time.monotonic()
            [completion] = await model(server.url, max_wait=10).complete(Prompt("?"), Sampling())
            assert completion.text == "Seven"
            return time.monotonic() - began

    async def all_seconds() -> list[float]:
        return await asyncio.gather(*map(seconds, wait_headers()))

    second, millis, date = run(all_seconds())
    assert 1 <= second < 3
    assert 0.8 <= millis < 2.5
    assert 0.9 <= date < 4  # a date has no fractions of a second


def test_too_long_a_wait_fails_at_once_and_says_how_long() -> None:
    with StubServer([error_reply("slow down", 429, [("Retry-After", "86400")])]) as server:
        with pytest.raises(LMError, match=r"wait 86400 s.*slow down"):
            complete(model(server.url, max_wait=60))
        assert len(server.requests) == 1


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_passing_faults_are_tried_again(status: int) -> None:
    with StubServer([error_reply("busy", status), error_reply("busy", status), chat_reply("Seven")]) as server:
        assert complete(model(server.url))[0].text == "Seven"
    with StubServer([error_reply("busy", status)]) as server:
        with pytest.raises(LMError, match=f"{status}.*busy"):
            complete(model(server.url))
        assert len(server.requests) == 3


def test_connection_that_breaks_before_the_reply_is_tried_again() -> None:
    with StubServer([[], [head(headers=[("Content-Length", "999")]), b"{"], chat_reply("Seven")]) as server:
        assert complete(model(server.url))[0].text == "Seven"
    with StubServer([[], chat_stream("Seven")]) as server:
        assert streamed(model(server.url))[1].text == "Seven"
    with StubServer([[]]) as server, pytest.raises(LMError, match="broke off"):
        complete(model(server.url))


@pytest.mark.parametrize("status", [400, 401, 404, 422])
def test_lasting_faults_are_not_tried_again(status: int) -> None:
    with StubServer([error_reply("no such thing", status)]) as server:
        with pytest.raises(LMError, match=f"{status}.*no such thing"):
            complete(model(server.url))
        assert len(server.requests) == 1


def test_used_up_quota_fails_after_one_request() -> None:
    with StubServer([error_reply("You ran out", 429, code="insufficient_quota")]) as server:
        with pytest.raises(LMError, match="quota"):
            complete(model(server.url))
        assert len(server.requests) == 1


def test_all_requests_wait_when_one_is_told_to() -> None:
    times: list[float] = []

    def script(request: Request) -> Steps:
        times.append(time.monotonic())
        return error_reply("slow down", 429, [("Retry-After", "0.4")]) if len(times) == 1 else chat_reply("Seven")

    async def ask(url: str) -> None:
        lm = model(url, concurrency=1, max_wait=5)
        await asyncio.gather(*(lm.complete(Prompt("?"), Sampling()) for _ in range(3)))

    with StubServer(script) as server:
        run(ask(server.url))
    assert len(times) == 4
    assert min(times[1:]) - times[0] >= 0.4


def test_requests_under_way_are_bounded() -> None:
    async def ask(url: str) -> None:
        lm = model(url, concurrency=3)
        await asyncio.gather(*(lm.complete(Prompt("?"), Sampling()) for _ in range(12)))

    with StubServer(lambda request: [0.05, *chat_reply("Seven")]) as server:
        run(ask(server.url))
        assert server.most_at_once == 3
        assert len(server.requests) == 12


def test_closed_port_is_one_line_within_seconds() -> None:
    began = time.monotonic()
    url = f"http://127.0.0.1:{closed_port()}/v1"
    with pytest.raises(LMError, match="connection refused; start the server") as caught:
        complete(model(url, max_retries=5, max_wait=60))
    assert url in str(caught.value)
    assert "\n" not in str(caught.value)
    assert time.monotonic() - began < 5


def test_unknown_host_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    with pytest.raises(LMError, match=r"nowhere\.invalid.*no such host"):
        complete(model("http://nowhere.invalid:8000/v1"))


# Addresses and keys


@pytest.mark.parametrize(
    "form", ["{root}", "{root}/", "{root}/v1", "{root}/v1/", "{root}/v1/chat/completions", "{bare}"]
)
def test_address_is_repaired(form: str) -> None:
    with StubServer([chat_reply("Seven")]) as server:
        base = form.format(root=server.root, bare=server.root.removeprefix("http://"))
        complete(model(base))
        assert server.requests[0].path == "/v1/chat/completions"


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("http://127.0.0.1:9/proxy/v1", "http://127.0.0.1:9/proxy/v1"),
        ("https://example.com/openai/", "https://example.com/openai"),
        ("localhost:11434", "http://localhost:11434/v1"),
        ("gpu-box:8000/v1", "http://gpu-box:8000/v1"),
        ("192.168.1.7:8000", "http://192.168.1.7:8000/v1"),
        ("[::1]:8000", "http://[::1]:8000/v1"),
        ("api.example.com", "https://api.example.com/v1"),
        (" HTTP://127.0.0.1:9/v1/completions ", "http://127.0.0.1:9/v1"),
    ],
)
def test_address_forms(given: str, used: str) -> None:
    assert model(given).base_url == used


@pytest.mark.parametrize("given", ["", "http://", "ftp://example.com", "http://host:port/v1", "http://host/v1?key=1"])
def test_no_address_is_refused(given: str) -> None:
    with pytest.raises(UsageError, match="base_url"):
        model(given)


@pytest.mark.parametrize("given", ["http://me:hunter2@host/v1", "ftp://me:hunter2@host"])
def test_password_in_the_address_is_refused_and_not_repeated(given: str) -> None:
    with pytest.raises(UsageError) as caught:
        model(given)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("given", ["https://h/v1?key=s3cret", "h/v1#s3cret"])
def test_a_key_behind_the_path_is_refused_and_not_repeated(given: str) -> None:
    with pytest.raises(UsageError, match=r"from \? or # on") as caught:
        model(given)
    assert "s3cret" not in str(caught.value)


def test_wrong_path_names_the_address_and_the_model() -> None:
    with StubServer([[head(404, "text/html"), b"<html><h1>Not Found</h1></html>"]]) as server:
        with pytest.raises(LMError, match=r"404.*'tiny'.*/v1: Not Found"):
            complete(model(f"{server.root}/api"))
        assert server.requests[0].path == "/api/chat/completions"


def test_local_server_needs_no_key_and_the_hosted_one_does() -> None:
    with StubServer([chat_reply("Seven")]) as server:
        assert complete(model(server.url))[0].text == "Seven"
    hosted = OpenAILM(Endpoint("tiny"))
    with pytest.raises(UsageError, match="OPENAI_API_KEY"):
        complete(hosted)


def test_named_variable_holds_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    with StubServer([error_reply("who are you", 401), chat_reply("Seven")]) as server:
        with pytest.raises(LMError, match="wants a key: set MY_KEY"):
            complete(model(server.url, api_key_env="MY_KEY"))
        monkeypatch.setenv("MY_KEY", SECRET)
        complete(model(server.url, api_key_env="MY_KEY"))
        assert server.requests[1].headers["authorization"] == f"Bearer {SECRET}"


@pytest.mark.parametrize("key", ["sk-tëst-SECRET123", "sk test SECRET123"])
def test_key_that_cannot_be_sent_is_refused(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(UsageError, match="OPENAI_API_KEY") as caught:
        complete(model("https://example.com"))
    assert "SECRET123" not in str(caught.value)


def test_half_a_character_is_an_error() -> None:
    with StubServer([chat_reply("Seven")]) as server, pytest.raises(LMError, match="half a character"):
        complete(model(server.url), "lone \ud800")


def test_proxy_settings_do_not_catch_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{closed_port()}")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    with StubServer([chat_reply("Seven")]) as server:
        assert complete(model(server.url))[0].text == "Seven"


def test_client_library_is_loaded_by_the_first_request_only() -> None:
    code = "import sys, dqlore.core.lm.openai as m; m.OpenAILM(m.Endpoint('tiny')); print('openai' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_one_model_serves_one_event_loop_after_another() -> None:
    with StubServer([chat_reply("Seven")]) as server:
        lm = model(server.url)
        for _ in range(2):
            assert run(lm.complete(Prompt("?"), Sampling()))[0].text == "Seven"


# Prompts too long

SAID = "This model's maximum context length is 2048 tokens. However, your messages resulted in 3000 tokens."
LLAMA = {
    "message": "request (3000 tokens) exceeds the available context size (2048 tokens), try increasing it",
    "type": "exceed_context_size_error",
    "n_prompt_tokens": 3000,
    "n_ctx": 2048,
}


@pytest.mark.parametrize(
    "reply",
    [
        error_reply(SAID, 400),
        json_reply({"object": "error", "message": SAID, "code": 400}, 400),
        json_reply({"error": LLAMA}, 400),
        json_reply({"error": LLAMA}, 500),
        json_reply({"error": LLAMA}, 200),
        event_stream(event({"error": LLAMA})),
    ],
)
def test_context_overflow_is_recognized_in_each_dialect(reply: list[Step]) -> None:
    for ask in (complete, streamed):
        with StubServer([reply]) as server:
            lm = model(server.url)
            if ask is complete and b"event-stream" in reply[0]:  # type: ignore[operator]
                continue
            with pytest.raises(ContextOverflow) as caught:
                ask(lm)
            assert (caught.value.window, caught.value.prompt_tokens) == (2048, 3000)
            assert lm.context_window == 2048
            assert len(server.requests) == 1


def test_tokens_a_minute_are_no_context_overflow() -> None:
    with StubServer([error_reply("too many tokens this minute", 429), chat_reply("Seven")]) as server:
        assert complete(model(server.url))[0].text == "Seven"


# Parameters that servers refuse


def refusing(
    *names: str, said: str = "Unsupported parameter: '{name}' is not supported with this model."
) -> StubServer:
    """Return a server that refuses each of `names` as long as it is sent."""

    def script(request: Request) -> Steps:
        for name in names:
            if name in request.body:
                return error_reply(said.format(name=name), 400, code="unsupported_parameter", param=name)
        return chat_stream("Seven") if request.body.get("stream") else chat_reply("Seven")

    return StubServer(script)


def test_max_tokens_becomes_max_completion_tokens_once_and_for_all() -> None:
    with refusing("max_tokens") as server:
        lm = model(server.url)
        complete(lm, sampling=Sampling(max_tokens=16))
        complete(lm, sampling=Sampling(max_tokens=17))
    assert [request.body.get("max_tokens") for request in server.requests] == [16, None, None]
    assert [request.body.get("max_completion_tokens") for request in server.requests] == [None, 16, 17]
    assert lm.notices == []


def test_refused_sampling_is_dropped_with_one_notice_each() -> None:
    sampling = Sampling(temperature=0.7, top_p=0.9, stop=("\n",), seed=1)
    with refusing("temperature", "top_p", "stop", "seed") as server:
        lm = model(server.url)
        streamed(lm, sampling=sampling)
        streamed(lm, sampling=sampling)
    assert len(server.requests) == 6
    assert set(server.requests[-1].body) == {"model", "messages", "max_tokens", "stream", "stream_options"}
    assert len(lm.notices) == 4
    assert "tiny does not accept temperature: the model's own default holds" in lm.notices


@pytest.mark.parametrize(
    "reply",
    [
        error_reply("Unsupported value: 'temperature' does not support 0.", 400, code="unsupported_value"),
        json_reply({"detail": "Unexpected fields in the request: {'temperature'}"}, 422),
        json_reply(
            {"detail": [{"type": "extra_forbidden", "loc": ["body", "temperature"], "msg": "Extra inputs are bad"}]},
            422,
        ),
    ],
)
def test_refusals_are_read_in_several_dialects(reply: list[Step]) -> None:
    with StubServer([reply, chat_reply("Seven")]) as server:
        complete(model(server.url))
    assert "temperature" not in server.requests[1].body


def test_server_without_stream_options_still_streams() -> None:
    with refusing("stream_options") as server:
        lm = model(server.url)
        assert streamed(lm)[1].text == "Seven"
    assert lm.notices == []


def test_value_out_of_range_is_an_error_not_a_refusal() -> None:
    said = "max_tokens is too large: 99999. This model supports at most 4096 completion tokens."
    with StubServer([error_reply(said, 400, param="max_tokens", code="invalid_value")]) as server:
        with pytest.raises(LMError, match="at most 4096"):
            complete(model(server.url))
        assert len(server.requests) == 1


def test_parameter_refused_under_both_names_ends_in_an_error() -> None:
    with refusing("max_tokens", "max_completion_tokens") as server, pytest.raises(LMError, match="max_completion"):
        complete(model(server.url))


@pytest.mark.parametrize(
    "reply",
    [
        error_reply("Conversation roles must alternate user/assistant/user/assistant/...", 400),
        error_reply("System role not supported", 500),
    ],
)
def test_system_text_moves_into_the_first_turn(reply: list[Step]) -> None:
    prompt = Prompt("2 + {x}?", "Think {slowly}.", (Shot("1 + 1?", "The answer is 2."),))
    with StubServer([reply, chat_reply("Seven")]) as server:
        lm = model(server.url)
        complete(lm, prompt)
        complete(lm, prompt)
    assert [len(request.body["messages"]) for request in server.requests] == [4, 3, 3]
    for request in server.requests[1:]:
        assert request.body["messages"][0] == {"role": "user", "content": "Think {slowly}.\n\n1 + 1?"}
        assert request.body["messages"][-1]["content"] == "2 + {x}?"
    assert len(lm.notices) == 1


# Several samples, log-probabilities


def test_several_samples_in_one_request() -> None:
    with StubServer([chat_reply("a", "b", "c")]) as server:
        completions = complete(model(server.url), sampling=Sampling(n=3, temperature=0.7))
    assert [completion.text for completion in completions] == ["a", "b", "c"]
    assert [completion.completion_tokens for completion in completions] == [6, None, None]
    assert server.requests[0].body["n"] == 3


@pytest.mark.parametrize("refuses", [False, True])
def test_server_without_n_is_asked_several_times(refuses: bool) -> None:
    def script(request: Request) -> Steps:
        if refuses and "n" in request.body:
            return error_reply("Unknown parameter: 'n'", 400, param="n")
        return chat_reply(f"seed {request.body['seed']}")

    with StubServer(script) as server:
        lm = model(server.url)
        for _ in range(2):
            completions = complete(lm, sampling=Sampling(n=3, temperature=0.7, seed=5))
            assert [completion.text for completion in completions] == ["seed 5", "seed 6", "seed 7"]
    assert sum("n" in request.body for request in server.requests) == 1


def test_token_log_probabilities() -> None:
    said = {"content": [{"token": "Sev", "logprob": -0.5}, {"token": "en", "logprob": -0.25}]}
    whole = chat_body("Seven")
    whole["choices"][0]["logprobs"] = said
    first, second = chunk("Sev"), chunk("en", finish="stop")
    first["choices"][0]["logprobs"] = {"content": said["content"][:1]}
    second["choices"][0]["logprobs"] = {"content": said["content"][1:]}
    text = {"choices": [{"text": "Seven", "finish_reason": "stop", "logprobs": {"token_logprobs": [-0.5, -0.25]}}]}
    script = [json_reply(whole), event_stream(event(first), event(second), DONE), json_reply(text)]
    with StubServer(script) as server:
        asked = Sampling(logprobs=True)
        replies = [complete(model(server.url), sampling=asked)[0], streamed(model(server.url), sampling=asked)[1]]
        replies += complete(model(server.url, api="completions"), sampling=asked)
    assert [reply.token_logprobs for reply in replies] == [(-0.5, -0.25)] * 3
    assert [request.body["logprobs"] for request in server.requests] == [True, True, 1]


def test_missing_log_probabilities_name_features_and_way_out() -> None:
    null = chat_body("Seven")
    null["choices"][0]["logprobs"] = None
    inner = chat_body("Seven")
    inner["choices"][0]["logprobs"] = {"content": None}
    refusal = error_reply("logprobs is not supported", 400, param="logprobs", code="unsupported_parameter")
    for reply in (json_reply(null), json_reply(inner), chat_reply("Seven"), refusal):
        with StubServer([reply]) as server, pytest.raises(LMError, match=r"no log-prob.*train.*nll.*PMI.*local"):
            complete(model(server.url), sampling=Sampling(logprobs=True))


def scoring(echoes: bool, lists: bool, shift: int = 0) -> StubServer:
    """Return a server whose tokens are single letters with log-probability -code / 1000."""

    def script(request: Request) -> Steps:
        body, choice = request.body, {"text": "!", "finish_reason": "length"}
        text = body["prompt"]
        values = [None, *(-ord(letter) / 1000 for letter in text[1:])]
        if echoes and body.get("echo"):
            tokens, begins = [*text, "!"], range(shift, shift + len(text) + 1)
            choice["text"] = f"{text}!"
            choice["logprobs"] = {"tokens": tokens, "token_logprobs": [*values, -1], "text_offset": [*begins]}
        if lists and "prompt_logprobs" in body:
            listed = zip(text, values, strict=True)
            choice["prompt_logprobs"] = [
                None if value is None else {str(ord(letter)): {"logprob": value}} for letter, value in listed
            ]
        return json_reply({"choices": [choice]})

    return StubServer(script)


@pytest.mark.parametrize(("echoes", "lists", "shift"), [(True, False, 0), (True, False, 5), (False, True, 0)])
def test_log_likelihood_counts_the_continuation_only(echoes: bool, lists: bool, shift: int) -> None:
    pairs = [(Prompt("Häuser?"), "It is 7."), (Prompt("Two?"), " 2"), (Prompt("None?"), "")]
    with scoring(echoes, lists, shift) as server:
        lm = model(server.url)
        found = run(lm.log_likelihoods(pairs))
        asked = len(server.requests)
        again = run(lm.log_likelihoods(pairs))
    for score, text in zip(found, (" It is 7.", " 2", ""), strict=True):
        assert score.tokens == len(text)
        assert math.isclose(score.total, -sum(map(ord, text)) / 1000, abs_tol=1e-12)
    assert again == found
    assert len(server.requests) - asked == (2 if echoes else 4)  # what the server can do is asked once
    assert {request.path for request in server.requests} == {"/v1/completions"}


def test_token_across_the_boundary_counts_as_continuation() -> None:
    context = Prompt("Two?").text()
    tokens = [context[:-1], ": 2", "."]
    reply = {"text": f"{context} 2.", "logprobs": {"tokens": tokens, "token_logprobs": [None, -0.5, -0.25]}}
    with StubServer([json_reply({"choices": [reply]})]) as server:
        [score] = run(model(server.url).log_likelihoods([(Prompt("Two?"), "2.")]))
    assert (score.total, score.tokens) == (-0.75, 2)


@pytest.mark.parametrize(
    "reply", [json_reply({"choices": [{"text": "!", "logprobs": None}]}), error_reply("no", 404)]
)
def test_server_that_cannot_score_is_asked_only_once(reply: list[Step]) -> None:
    with StubServer([reply]) as server:
        lm = model(server.url)
        for _ in range(2):
            with pytest.raises(LMError, match=r"no log-prob.*train.*local"):
                run(lm.log_likelihoods([(Prompt("Two?"), "2")]))
        assert len(server.requests) == 2  # one a way


def test_busy_server_is_not_taken_for_one_that_cannot_score() -> None:
    busy = StubServer([error_reply("busy", 503)])
    with busy, pytest.raises(LMError, match="busy"):
        run(model(busy.url, max_retries=0).log_likelihoods([(Prompt("Two?"), "2")]))


# Completions interface, cut prompts


def test_completions_interface_sends_the_prompt_as_text() -> None:
    prompt = Prompt("2 + {x}?", "Think.", (Shot("1 + 1?", "2."),))
    steps = [event({"choices": [{"text": piece, "index": 0}]}) for piece in (" Sev", "en")]
    with StubServer([event_stream(*steps, DONE)]) as server:
        pieces, completion = streamed(model(server.url, api="completions"), prompt, Sampling(stop=("\nQuestion:",)))
    assert (pieces, completion.text) == ([" Sev", "en"], " Seven")
    assert server.requests[0].path == "/v1/completions"
    assert server.requests[0].body["prompt"] == prompt.text()
    assert server.requests[0].body["stop"] == ["\nQuestion:"]


def test_prompt_that_the_server_cut_is_noticed_once() -> None:
    with StubServer([chat_reply("Seven")]) as server:
        lm = model(server.url)
        for _ in range(2):
            complete(lm, "word " * 1000)
        complete(lm, "short")
    assert len(lm.notices) == 1
    assert "9 tokens of a prompt of 5000 characters" in lm.notices[0]
