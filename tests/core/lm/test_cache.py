"""Replies kept between calls: what is kept, under which key, and what happens when the file is in trouble."""

import asyncio
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from dqlore.core.errors import LMError
from dqlore.core.lm.base import Completion, LogLikelihood, Sampling
from dqlore.core.lm.cache import Cache, CachedLM
from dqlore.core.lm.openai import Endpoint, OpenAILM
from dqlore.core.prompts import Prompt, Shot
from stub_server import Request, Steps, StubServer, chat_reply, chat_stream, chunk, error_reply, event, event_stream

from .asking import complete, model, run, streamed

SECRET = "sk-test-SECRET123"


@dataclass
class CountingLM:
    """Answers with the number of the call, after `delay` seconds."""

    identity: str = "counting"
    name: str = "counting"
    context_window: int | None = None
    delay: float = 0.0
    calls: list[object] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)

    def count_tokens(self, prompt: Prompt) -> int | None:
        return None

    async def stream(self, prompt: Prompt, sampling: Sampling) -> AsyncGenerator[str | Completion, None]:
        [completion] = await self.complete(prompt, sampling)
        yield completion.text
        await asyncio.sleep(self.delay)
        yield completion

    async def complete(self, prompt: Prompt, sampling: Sampling) -> list[Completion]:
        self.calls.append(sampling)
        call = len(self.calls)
        await asyncio.sleep(self.delay)
        logprobs = (-0.5, -0.25) if sampling.logprobs else None
        return [Completion(f"call {call}", "stop", 9, 2, "thought", logprobs)] * sampling.n

    async def log_likelihoods(self, pairs: Sequence[tuple[Prompt, str]]) -> list[LogLikelihood]:
        self.calls.append(pairs)
        return [LogLikelihood(-len(continuation) / 3, len(continuation)) for _, continuation in pairs]

    async def aclose(self) -> None: ...


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache" / "replies.sqlite")


def counter() -> StubServer:
    """Return a server whose replies count its requests."""
    numbers = iter(range(1, 1000))
    return StubServer(lambda request: _numbered(request, next(numbers)))


def _numbered(request: Request, number: int) -> Steps:
    return chat_stream("reply ", str(number)) if request.body.get("stream") else chat_reply(f"reply {number}")


def test_greedy_and_seeded_calls_are_kept_and_all_others_not(cache: Cache) -> None:
    lm = CountingLM()
    cached = CachedLM(lm, cache)
    for sampling in (Sampling(), Sampling(temperature=0.9, seed=1)):
        first, second = complete(cached, sampling=sampling), complete(cached, sampling=sampling)
        assert [replace(completion, cached=True) for completion in first] == second
        assert (first[0].cached, second[0].cached) == (False, True)
    assert len(lm.calls) == 2
    for _ in range(2):
        complete(cached, sampling=Sampling(temperature=0.9))
        streamed(cached, sampling=Sampling(temperature=0.9))
    assert len(lm.calls) == 6


def test_every_setting_has_its_own_reply(cache: Cache) -> None:
    settings = [
        Sampling(),
        Sampling(max_tokens=16),
        Sampling(max_tokens=400),
        Sampling(temperature=0.9, seed=1),
        Sampling(temperature=0.9, seed=2),
        Sampling(temperature=0.8, seed=1),
        Sampling(temperature=0.9, seed=1, top_p=0.5),
        Sampling(stop=("\n",)),
        Sampling(stop=("\n", "Q")),
        Sampling(n=2),
        Sampling(logprobs=True),
    ]
    lm = CountingLM()
    cached = CachedLM(lm, cache)
    first = [complete(cached, sampling=sampling) for sampling in settings]
    again = [complete(cached, sampling=sampling) for sampling in settings]
    assert len(lm.calls) == len(settings)
    assert [[c.text for c in completions] for completions in again] == [[c.text for c in cs] for cs in first]
    assert again[-1][0].token_logprobs == (-0.5, -0.25)


def test_every_prompt_and_every_model_has_its_own_reply(cache: Cache) -> None:
    shots = (Shot("a", "b"), Shot("c", "d"))
    prompts = [
        Prompt("q"),
        Prompt("Q"),
        Prompt("q", "i"),
        Prompt("q", ranked=shots),
        Prompt("q", ranked=shots[::-1]),
        Prompt("q", ranked=shots[:1]),
        Prompt("\nc", ranked=()),
        Prompt("{q}"),
        Prompt("lone \ud800"),
    ]
    one, other = CountingLM(), CountingLM(identity="other")
    for prompt in prompts + prompts:
        complete(CachedLM(one, cache), prompt)
    complete(CachedLM(other, cache), prompts[0])
    assert (len(one.calls), len(other.calls)) == (len(prompts), 1)


def test_endpoints_and_models_do_not_share_replies(cache: Cache) -> None:
    here, there = "http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1"
    lms = [model(here), model(there), model(here, api="completions"), OpenAILM(Endpoint("other", here))]
    for lm in lms:
        run(cache.put({CachedLM(lm, cache)._key(Prompt("q")): "kept"}))
    assert cache.stats().entries == len(lms)


def test_streams_and_whole_replies_share_an_entry(cache: Cache) -> None:
    with counter() as server:
        lm = model(server.url)
        pieces, first = streamed(CachedLM(lm, cache))
        again, second = streamed(CachedLM(lm, cache))
        [third] = complete(CachedLM(lm, cache))
        assert len(server.requests) == 1
    assert "".join(pieces) == "".join(again) == first.text == "reply 1"
    assert not first.cached
    assert second == third == replace(first, cached=True)


def test_refresh_asks_anew_and_replaces(cache: Cache) -> None:
    lm = CountingLM()
    complete(CachedLM(lm, cache))
    assert complete(CachedLM(lm, cache, refresh=True))[0].text == "call 2"
    assert complete(CachedLM(lm, cache))[0].text == "call 2"
    pairs = [(Prompt("q"), "a")]
    run(CachedLM(lm, cache).log_likelihoods(pairs))
    run(CachedLM(lm, cache, refresh=True).log_likelihoods(pairs))
    assert len(lm.calls) == 4


def test_a_reply_cut_by_the_limit_is_served_as_cut_and_a_larger_limit_asks_anew(cache: Cache) -> None:
    with StubServer([chat_reply("The ans", finish="length"), chat_reply("The answer is 7.")]) as server:
        cached = CachedLM(model(server.url), cache)
        asked = [complete(cached, "q", Sampling(max_tokens=limit))[0] for limit in (3, 3, 30)]
    assert [(reply.finish_reason, reply.cached) for reply in asked] == [
        ("length", False),
        ("length", True),
        ("stop", False),
    ]
    assert len(server.requests) == 2


def test_empty_broken_and_failed_replies_are_not_kept(cache: Cache) -> None:
    bad = [
        chat_reply(""),
        error_reply("no", 400),
        error_reply("busy", 200),
        event_stream(event(chunk("The answer is 1"))),
        event_stream(event(chunk("The answer is 1")), event({"error": {"message": "queue full"}})),
    ]
    for reply in bad:
        with StubServer([reply, chat_reply("Seven")]) as server:
            cached = CachedLM(model(server.url), cache)
            ask = streamed if b"event-stream" in reply[0] else complete  # type: ignore[operator]
            with suppress(LMError):
                ask(cached, "cut?")
            assert complete(cached, "cut?")[0].text == "Seven"
            assert complete(cached, "cut?")[0].cached
            assert len(server.requests) == 2


def test_stream_closed_early_is_not_kept(cache: Cache) -> None:
    lm = CountingLM()

    async def one_piece() -> None:
        async with aclosing(CachedLM(lm, cache).stream(Prompt("q"), Sampling())) as items:
            await anext(items)

    run(one_piece())
    assert complete(CachedLM(lm, cache), "q")[0].text == "call 2"


def test_equal_requests_at_the_same_time_are_asked_once(cache: Cache) -> None:
    lm = CountingLM(delay=0.1)
    cached = CachedLM(lm, cache)

    async def read() -> Completion:
        [*_, last] = [item async for item in cached.stream(Prompt("q"), Sampling())]
        assert isinstance(last, Completion)
        return last

    async def together() -> list[object]:
        whole = [cached.complete(Prompt("q"), Sampling()) for _ in range(5)]
        return await asyncio.gather(*whole, read(), read(), cached.complete(Prompt("other"), Sampling()))

    *same, other = run(together())
    assert len(lm.calls) == 2
    texts = [reply.text if isinstance(reply, Completion) else reply[0].text for reply in same]  # type: ignore[index]
    assert texts == ["call 1"] * 7
    assert other != same[0]


def test_those_who_wait_get_the_error_and_ask_themselves_after_a_cancel(cache: Cache) -> None:
    async def outcomes(url: str) -> list[object]:
        cached = CachedLM(model(url), cache)
        calls = [cached.complete(Prompt("q"), Sampling()) for _ in range(4)]
        return await asyncio.gather(*calls, return_exceptions=True)

    with StubServer([[0.1, *error_reply("no such model", 404)]]) as server:
        assert all("no such model" in str(error) for error in run(outcomes(server.url)))
        assert len(server.requests) == 1

    async def cancelled(lm: CountingLM) -> str:
        cached = CachedLM(lm, cache)
        first = asyncio.create_task(cached.complete(Prompt("q"), Sampling()))
        await asyncio.sleep(0.02)
        second = asyncio.create_task(cached.complete(Prompt("q"), Sampling()))
        await asyncio.sleep(0.02)
        first.cancel()
        return (await second)[0].text

    lm = CountingLM(delay=0.1)
    assert run(cancelled(lm)) == "call 2"


def test_log_likelihoods_are_kept_by_pair(cache: Cache) -> None:
    lm = CountingLM()
    pairs = [(Prompt("q"), "a"), (Prompt("q"), "bb"), (Prompt("q"), "a"), (Prompt("r"), "a")]
    first = run(CachedLM(lm, cache).log_likelihoods(pairs[:3]))
    again = run(CachedLM(lm, cache).log_likelihoods(pairs))
    assert [score.tokens for score in again] == [1, 2, 1, 1]
    assert again[:3] == first
    assert lm.calls == [[pairs[0], pairs[1]], [pairs[3]]]


def test_key_is_not_in_the_file(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    with counter() as server:
        complete(CachedLM(model(server.url), cache))
        assert server.requests[0].headers["authorization"] == f"Bearer {SECRET}"
    files = list(cache.path.parent.iterdir())
    assert any(b"reply 1" in file.read_bytes() for file in files)
    assert not any(b"SECRET123" in file.read_bytes() for file in files)


def test_stats_count_entries_and_create_nothing(cache: Cache, tmp_path: Path) -> None:
    assert (cache.stats().entries, cache.stats().bytes, cache.stats().problem) == (0, 0, None)
    assert not cache.path.exists()
    cached = CachedLM(CountingLM(), cache)
    complete(cached, "a")
    complete(cached, "b")
    stats = Cache(cache.path).stats()
    assert (stats.entries, stats.problem) == (2, None)
    assert stats.bytes >= 4096
    bad = tmp_path / "bad.sqlite"
    bad.write_text("hello")
    assert "not a database" in str(Cache(bad).stats().problem)
    assert bad.read_text() == "hello"


# A file in trouble


def test_damaged_file_is_moved_aside_once(cache: Cache) -> None:
    cache.path.parent.mkdir()
    cache.path.write_text("hello")
    lm = CountingLM()
    complete(CachedLM(lm, cache))
    assert complete(CachedLM(lm, cache))[0].cached
    [warning] = cache.warnings
    assert str(cache.path) in warning
    aside = cache.path.with_name("replies.sqlite.damaged")
    assert aside.read_text() == "hello"
    cache.close()

    cache.path.write_text("hello again")
    later = Cache(cache.path)
    for question in ("a", "b"):
        complete(CachedLM(lm, later), question)
    assert len(later.warnings) == 1
    assert "replies.sqlite.damaged" in later.warnings[0]
    assert (aside.read_text(), cache.path.read_text()) == ("hello", "hello again")
    assert len(list(cache.path.parent.glob("*damaged*"))) == 1


def test_damage_within_the_file_is_noticed_and_costs_no_reply(cache: Cache) -> None:
    lm = CountingLM()
    for number in range(200):
        complete(CachedLM(lm, cache), f"question {number}" * 20)
    cache.close()
    raw = bytearray(cache.path.read_bytes())
    raw[4096:] = os.urandom(len(raw) - 4096)
    cache.path.write_bytes(raw)
    later = Cache(cache.path)
    for number in range(200):
        complete(CachedLM(lm, later), f"question {number}" * 20)
    assert len(later.warnings) == 1
    assert complete(CachedLM(lm, later), "question 7" * 20)[0].cached


def test_entry_that_cannot_be_read_is_asked_again(cache: Cache) -> None:
    lm = CountingLM()
    complete(CachedLM(lm, cache))
    run(CachedLM(lm, cache).log_likelihoods([(Prompt("q"), "a")]))
    with sqlite3.connect(cache.path) as connection:
        connection.execute("UPDATE replies SET value = substr(value, 1, length(value) - 3)")
    assert complete(CachedLM(lm, cache))[0].text == "call 3"
    assert complete(CachedLM(lm, cache))[0].cached
    assert run(CachedLM(lm, cache).log_likelihoods([(Prompt("q"), "a")]))[0].tokens == 1


@pytest.mark.parametrize("kind", ["below a file", "a folder"])
def test_unusable_place_costs_one_warning(tmp_path: Path, kind: str) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    cache = Cache(tmp_path / "folder" if kind == "a folder" else tmp_path / "file" / "replies.sqlite")
    lm = CountingLM()
    cached = CachedLM(lm, cache)
    for _ in range(3):
        assert complete(cached)[0].text.startswith("call")
    assert len(lm.calls) == 3
    [warning] = cache.warnings
    assert str(cache.path) in warning
    assert cached.notices == [warning]


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
def test_read_only_folder_costs_one_warning(tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o500)
    cache = Cache(folder / "replies.sqlite")
    for _ in range(2):
        complete(CachedLM(CountingLM(), cache))
    assert len(cache.warnings) == 1


ASKING = """
import asyncio, sys
from pathlib import Path
from dqlore.core.lm.base import Sampling
from dqlore.core.lm.cache import Cache, CachedLM
from dqlore.core.lm.openai import Endpoint, OpenAILM
from dqlore.core.prompts import Prompt

async def main(url, path, worker):
    cache = Cache(Path(path))
    lm = CachedLM(OpenAILM(Endpoint("tiny", url)), cache)
    for number in range(50):
        question = f"shared {number}" if number % 2 else f"worker {worker} question {number}"
        [completion] = await lm.complete(Prompt(question), Sampling())
        assert completion.text == f"echo {question}", completion
        print("asked", flush=True)
    await lm.aclose()
    assert not cache.warnings, cache.warnings

asyncio.run(main(*sys.argv[1:]))
"""


def _echo(request: Request) -> Steps:
    return chat_reply(f"echo {request.body['messages'][-1]['content']}")


def _ask(server: StubServer, path: Path, worker: int) -> "subprocess.Popen[str]":
    arguments = [sys.executable, "-c", ASKING, server.url, str(path), str(worker)]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_four_processes_share_a_cache(cache: Cache) -> None:
    with StubServer(_echo) as server:
        workers = [_ask(server, cache.path, worker) for worker in range(4)]
        errors = [worker.communicate(timeout=60)[1] for worker in workers]
        assert [worker.returncode for worker in workers] == [0] * 4, errors
    assert cache.stats().entries == 4 * 25 + 25
    values = run(cache.get([key for (key,) in sqlite3.connect(cache.path).execute("SELECT key FROM replies")]))
    assert len(values) == 125


def test_killed_process_leaves_a_readable_cache(cache: Cache) -> None:
    with StubServer(_echo) as server:
        worker = _ask(server, cache.path, 0)
        assert worker.stdout
        for _ in range(10):
            worker.stdout.readline()
        worker.kill()
        worker.communicate(timeout=10)
        with sqlite3.connect(cache.path) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        kept = cache.stats().entries
        assert kept >= 10
        before = len(server.requests)
        again = _ask(server, cache.path, 0)
        _, error = again.communicate(timeout=60)
        assert again.returncode == 0, error
        assert len(server.requests) - before == 50 - kept


def test_waiting_for_another_process_does_not_stop_the_loop(cache: Cache) -> None:
    cached = CachedLM(CountingLM(), cache)
    complete(cached, "open the file")
    holder = sqlite3.connect(cache.path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")

    async def longest_pause() -> float:
        asked = asyncio.create_task(cached.complete(Prompt("q"), Sampling()))
        longest = 0.0
        for _ in range(20):
            began = time.monotonic()
            await asyncio.sleep(0.02)
            longest = max(longest, time.monotonic() - began)
        assert not asked.done()
        holder.execute("ROLLBACK")
        await asked
        return longest

    assert run(longest_pause()) < 0.2
    assert complete(cached, "q")[0].cached
