"""Requests to an OpenAI-compatible server: the key, bounded concurrency, waiting and trying again.

The `openai` client sends the requests; the replies are read here as raw bytes, because its own reader of streams
stops at things that servers really send: an empty `data:` line, a chunk that is no JSON, a connection that closes
before the end.
"""

import asyncio
import importlib
import os
import random
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from ..errors import LMError, UsageError
from .openai_address import repair_address
from .openai_faults import Fault, RefusedError, fault_of_body, overflow_error, wait_asked

if TYPE_CHECKING:
    from openai import AsyncOpenAI

    from .openai import Endpoint

Api = Literal["chat", "completions"]
T = TypeVar("T")

#: What aiohttp raises for a connection that broke after it stood; the client above calls these connect timeouts.
_BROKE_LATER = ("ServerDisconnectedError", "ClientOSError", "ClientConnectionResetError", "ClientPayloadError")
_FIRST_BACKOFF = 0.5  # seconds, doubled with each try


class Reply(Protocol):
    """A reply whose body has not been read yet."""

    @property
    def headers(self) -> Any: ...
    def iter_bytes(self) -> AsyncIterator[bytes]: ...
    async def read(self) -> bytes: ...


class Transport:
    """The connection to one endpoint. The client is made by the first request, anew for each event loop."""

    def __init__(self, endpoint: "Endpoint") -> None:
        self.endpoint = endpoint
        self.address = repair_address(endpoint.base_url)
        self._client: AsyncOpenAI | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._slots = asyncio.Semaphore(endpoint.concurrency)
        self._not_before = 0.0  # after a 429 all requests wait until then
        self._hide: Callable[[str], str] = str
        self._broken: tuple[type[Exception], ...] = (OSError,)

    @asynccontextmanager
    async def stream(self, api: Api, body: dict[str, Any]) -> AsyncIterator[Reply]:
        """Open a reply for reading; leaving the block closes the connection. Raises LMError, RefusedError."""
        client = self._connect()
        async with self._slots, AsyncExitStack() as stack:

            async def attempt() -> Reply:
                try:
                    async with asyncio.timeout(self.endpoint.first_token_timeout):
                        return await stack.enter_async_context(_request(client, api, body))
                except TimeoutError:
                    raise self.stalled(self.endpoint.first_token_timeout) from None

            yield await self._retrying(attempt)

    async def fetch(self, api: Api, body: dict[str, Any]) -> bytes:
        """Return the whole body of a reply. Raises LMError, RefusedError."""
        client = self._connect()

        async def attempt() -> bytes:
            try:
                async with (
                    asyncio.timeout(self.endpoint.total_timeout),
                    _request(client, api, body) as reply,
                ):
                    whole: bytes = await reply.read()
                    return whole
            except TimeoutError:
                raise self.stalled(self.endpoint.total_timeout) from None

        async with self._slots:
            return await self._retrying(attempt)

    def stalled(self, seconds: float) -> LMError:
        """Return the error for a server that has been silent for `seconds`."""
        return LMError(
            f"{self.address.base} sent nothing for {seconds:g} s: it may be overloaded or still loading the model; "
            "raise endpoint.first_token_timeout or endpoint.idle_timeout if it needs longer"
        )

    @property
    def broken(self) -> tuple[type[Exception], ...]:
        """What the HTTP library raises where a connection breaks while a body is read."""
        return self._broken

    def refusal(self, fault: Fault) -> LMError:
        """Return the error for what the server said, without the key if the server repeats it."""
        base, model, name = self.address.base, self.endpoint.model, self.endpoint.api_key_env
        if fault.overflow:
            return overflow_error(replace(fault, message=self.redact(fault.message)), model)
        if fault.status in (401, 403):
            state = "refused the key in" if os.environ.get(name) else "wants a key: set"
            text = f"{base} {state} {name} ({fault.status}): {fault.message}"
        elif fault.quota_used_up:
            text = f"the quota at {base} is used up; see the plan and billing of the account: {fault.message}"
        elif fault.status in (404, 405):
            text = (
                f"{base} answered {fault.status}: check the model name {model!r} and the address, which usually ends "
                f"in /v1: {fault.message}"
            )
        elif fault.status == 200:
            text = f"{base} reported an error: {fault.message}"
        else:
            text = f"{base} answered {fault.status}: {fault.message}"
        return RefusedError(self.redact(text), fault)

    def redact(self, text: str) -> str:
        """Return `text` without the key, which servers and proxies may repeat."""
        return self._hide(text)

    async def aclose(self) -> None:
        client, self._client = self._client, None
        if client is not None and self._loop is asyncio.get_running_loop():
            await client.close()

    def _connect(self) -> "AsyncOpenAI":
        loop = asyncio.get_running_loop()
        if self._client is not None and self._loop is loop:
            return self._client
        from openai import AsyncOpenAI, DefaultAioHttpClient, DefaultAsyncHttpxClient, Timeout

        key = self._key()
        # Older releases of openai stand on httpx, newer ones on httpx2; both name their errors alike.
        http = importlib.import_module(DefaultAsyncHttpxClient.__base__.__module__.partition(".")[0])
        self._broken = (http.HTTPError, http.StreamError, OSError)
        self._client = AsyncOpenAI(
            api_key=key or "none",
            base_url=self.address.base,
            max_retries=0,
            timeout=Timeout(None, connect=self.endpoint.connect_timeout),
            http_client=DefaultAioHttpClient(trust_env=not self.address.loopback),
        )
        self._hide = lambda text: text.replace(key, "***") if key else text
        self._loop = loop
        self._slots = asyncio.Semaphore(self.endpoint.concurrency)
        return self._client

    def _key(self) -> str:
        key = os.environ.get(self.endpoint.api_key_env, "").strip()
        if not key.isascii() or any(map(str.isspace, key)):
            raise UsageError(f"{self.endpoint.api_key_env} holds letters that no key has; set it again")
        if key or self.address.local:
            return key
        raise UsageError(
            f"no key for {self.address.base}: set the environment variable {self.endpoint.api_key_env}, "
            "or use a model on this machine (--lm local:smollm2-135m)"
        )

    async def _retrying(self, attempt: Callable[[], Awaitable[T]]) -> T:
        import openai

        for tries_left in range(self.endpoint.max_retries, -1, -1):
            backoff = _FIRST_BACKOFF * 2 ** (self.endpoint.max_retries - tries_left) * random.uniform(0.5, 1)
            backoff = min(backoff, self.endpoint.max_wait)
            await self._wait_for_turn()
            try:
                return await attempt()
            except openai.APIStatusError as error:
                fault = fault_of_body(error.status_code, error.response.text)
                headers = error.response.headers
            except openai.APIConnectionError as error:
                failure = self._unreachable(error)
                if failure is not None or not tries_left:
                    raise (failure or self._broke_off()) from None
                await asyncio.sleep(backoff)
                continue
            except UnicodeEncodeError:
                raise LMError("the prompt holds half a character (a lone surrogate), which cannot be sent") from None
            except self._broken:
                if not tries_left:
                    raise self._broke_off() from None
                await asyncio.sleep(backoff)
                continue
            asked = wait_asked(headers)
            if not fault.passing or not tries_left:
                raise self.refusal(fault)
            if asked is not None and asked > self.endpoint.max_wait:
                raise LMError(
                    f"{self.address.base} asks to wait {asked:g} s, longer than endpoint.max_wait "
                    f"({self.endpoint.max_wait:g} s): {self.redact(fault.message)}"
                )
            wait = backoff if asked is None else asked + random.uniform(0, 0.1)
            if fault.status == 429:
                self._not_before = max(self._not_before, time.monotonic() + wait)
            else:
                await asyncio.sleep(wait)
        raise AssertionError("unreachable")

    async def _wait_for_turn(self) -> None:
        while (wait := self._not_before - time.monotonic()) > 0:
            await asyncio.sleep(wait)

    def _broke_off(self) -> LMError:
        return LMError(f"the connection to {self.address.base} broke off before the reply was whole")

    def _unreachable(self, error: BaseException) -> LMError | None:
        """Return the error for a server that cannot be reached, None where the connection broke later."""
        base, causes = self.address.base, list(_causes(error))
        if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
            return LMError(f"{base}: connection refused; start the server there or set endpoint.base_url")
        if any(isinstance(cause, socket.gaierror) for cause in causes):
            return LMError(f"{base}: no such host; check endpoint.base_url and the network")
        if any(type(cause).__name__ in _BROKE_LATER for cause in causes):
            return None
        for cause in causes:
            if type(cause).__name__ == "ConnectTimeout":
                return LMError(f"{base}: no connection within {self.endpoint.connect_timeout:g} s")
            if type(cause).__name__ == "ConnectError":
                return LMError(f"{base}: cannot connect: {cause}")
        return None


def _request(client: "AsyncOpenAI", api: Api, body: dict[str, Any]) -> Any:
    """Send `body` as it is: the client's own parameters would leave out what it does not know.

    Those it insists on stay empty, and `body` takes their place: it would walk through every message of a prompt to
    check its type, which costs more than the rest of the request.
    """
    if api == "chat":
        create: Any = client.chat.completions.with_streaming_response.create
        return create(model=body["model"], messages=[], extra_body=body)
    create = client.completions.with_streaming_response.create
    return create(model=body["model"], prompt="", extra_body=body)


def _causes(error: BaseException) -> list[BaseException]:
    """Return an error and all that it came from."""
    found: list[BaseException] = []
    waiting: list[BaseException | None] = [error]
    while waiting:
        one = waiting.pop()
        if one is None or one in found:
            continue
        found.append(one)
        waiting += [one.__cause__, one.__context__]
        waiting += getattr(one, "exceptions", ())
    return found
