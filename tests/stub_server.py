"""An OpenAI-compatible server on the loopback address that plays scripted replies, faults included.

    with StubServer([chat_stream("Sev", "en"), json_reply({"error": {"message": "busy"}}, 503)]) as server:
        ...  # server.url, server.requests

A script is a list of replies, one a request and the last one for all further requests, or a function of the request.
A reply is a list of steps: bytes are sent, a number waits that many seconds. After the last step the connection is
closed, so a stream without its end mark is a stream that broke off.
"""

import asyncio
import json
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

Step = bytes | float
Steps = Sequence[Step]


@dataclass
class Request:
    """What a client sent. `hung_up` is set when it closes the connection before the reply is over."""

    method: str
    path: str
    headers: dict[str, str]
    raw: bytes
    hung_up: threading.Event = field(default_factory=threading.Event)

    @property
    def body(self) -> dict[str, Any]:
        data = json.loads(self.raw)
        assert isinstance(data, dict)
        return data


Script = Sequence[Steps] | Callable[[Request], Steps]


class StubServer:
    """Serves a script from a thread of its own. `most_at_once` is the highest number of requests under way."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._lock = threading.Lock()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._under_way = 0
        self.most_at_once = 0
        self.requests: list[Request] = []
        self.port = 0

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.root}/v1"

    def __enter__(self) -> "StubServer":
        self._thread.start()
        starting = asyncio.start_server(self._serve, "127.0.0.1", 0)
        self._server = asyncio.run_coroutine_threadsafe(starting, self._loop).result(10)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    async def _stop(self) -> None:
        self._server.close()
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            request = await _read_request(reader)
            with self._lock:
                self.requests.append(request)
                steps = self._script(request) if callable(self._script) else self._next()
            self._under_way += 1
            self.most_at_once = max(self.most_at_once, self._under_way)
            try:
                await _play(steps, request, reader, writer)
            finally:
                self._under_way -= 1
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    def _next(self) -> Steps:
        assert not callable(self._script)
        return self._script[min(len(self.requests), len(self._script)) - 1]


async def _read_request(reader: asyncio.StreamReader) -> Request:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, path, _ = head[0].split(" ")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
    return Request(method, path, headers, await reader.readexactly(int(headers.get("content-length", 0))))


async def _play(steps: Steps, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    gone = asyncio.ensure_future(reader.read(1))  # ends when the client hangs up
    try:
        for step in steps:
            if isinstance(step, bytes):
                writer.write(step)
                await writer.drain()
                await asyncio.sleep(0)  # let each step leave as a packet of its own
            else:
                await asyncio.wait([gone], timeout=step)
            if gone.done():
                request.hung_up.set()
                return
    finally:
        gone.cancel()


def head(status: int = 200, content_type: str = "application/json", headers: Iterable[tuple[str, str]] = ()) -> bytes:
    """Return the head of a reply whose body ends where the connection does."""
    lines = [f"HTTP/1.1 {status} Scripted", f"Content-Type: {content_type}", "Connection: close"]
    return "\r\n".join([*lines, *(f"{name}: {value}" for name, value in headers), "", ""]).encode()


def json_reply(data: object, status: int = 200, headers: Iterable[tuple[str, str]] = ()) -> list[Step]:
    return [head(status, headers=headers), json.dumps(data).encode()]


def error_reply(
    message: str, status: int = 400, headers: Iterable[tuple[str, str]] = (), **fields: object
) -> list[Step]:
    return json_reply({"error": {"message": message, **fields}}, status, headers)


def event_stream(*steps: Step) -> list[Step]:
    return [head(content_type="text/event-stream"), *steps]


def event(data: object) -> bytes:
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


DONE = b"data: [DONE]\n\n"


def chunk(content: str | None = None, *, finish: str | None = None, **delta: object) -> dict[str, Any]:
    """Return one chunk of a streamed chat reply."""
    fields = delta if content is None else {"content": content, **delta}
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": finish}]}


def chat_stream(*pieces: str, finish: str = "stop", usage: tuple[int, int] | None = None) -> list[Step]:
    """Return a well-formed streamed chat reply."""
    steps: list[Step] = [event(chunk(piece)) for piece in pieces]
    steps.append(event(chunk(finish=finish)))
    if usage:
        steps.append(event({"choices": [], "usage": {"prompt_tokens": usage[0], "completion_tokens": usage[1]}}))
    return event_stream(*steps, DONE)


def chat_body(*texts: str | None, finish: str = "stop", **message: object) -> dict[str, Any]:
    """Return a whole chat reply with one choice a text."""
    return {
        "choices": [
            {"index": i, "message": {"role": "assistant", "content": text, **message}, "finish_reason": finish}
            for i, text in enumerate(texts)
        ],
        "usage": {"prompt_tokens": 9, "completion_tokens": 2 * len(texts)},
    }


def chat_reply(*texts: str | None, finish: str = "stop", **message: object) -> list[Step]:
    return json_reply(chat_body(*texts, finish=finish, **message))
