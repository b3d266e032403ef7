"""What servers say when they refuse, in their several dialects, read into one record."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from ..errors import ContextOverflow, LMError

NO_LOG_PROBABILITIES = (
    "gives no log-probabilities. Training scores (dqlore train), the nll metric and PMI answers need them; use a "
    "local model for these (--lm local:smollm2-135m) or a server that has them, such as vLLM"
)

_OVERFLOW = re.compile(
    r"maximum context length|context[ _](?:length|window|size)[^.]{0,40}exceed|exceed[^.]{0,60}context"
    r"|prompt (?:is )?too long|too many (?:input |prompt )?tokens|input[^.]{0,20} too long"
    r"|longer than the[^.]{0,20}context",
    re.IGNORECASE,
)
_WINDOW = re.compile(r"(?:context length|context window|context size|n_ctx)\D{0,40}?(\d[\d,]*)", re.IGNORECASE)
_PROMPT_TOKENS = (
    re.compile(r"(\d[\d,]*) (?:tokens )?in the (?:messages|prompt)", re.IGNORECASE),
    re.compile(r"(\d[\d,]*) (?:input|prompt) tokens", re.IGNORECASE),
    re.compile(r"(?:requested|resulted in|has|contains|passed)\D{0,20}?(\d[\d,]*) tokens", re.IGNORECASE),
)
_QUOTA = re.compile(r"insufficient_quota|billing_hard_limit|exceeded your current quota", re.IGNORECASE)
_SYSTEM_ROLE = re.compile(
    r"system(?:['\"`]? role| message|['\"`]? prompt)[^.]{0,40}(?:not|n't|unsupported)|must alternate"
    r"|only (?:user|supports? user)",
    re.IGNORECASE,
)
_LONGEST_QUOTE = 300


@dataclass(frozen=True, slots=True)
class Fault:
    """A refusal: the HTTP status, the server's words, and the fields that some servers add to them."""

    status: int
    message: str
    code: str = ""
    param: str = ""
    prompt_tokens: int | None = None
    window: int | None = None

    @property
    def overflow(self) -> bool:
        """Whether the prompt was too long for the model."""
        if self.status == 429:
            return False  # "too many tokens" a minute
        named = "exceed_context_size" in self.code or "context_length_exceeded" in self.code
        return named or bool(_OVERFLOW.search(self.message))

    @property
    def quota_used_up(self) -> bool:
        return bool(_QUOTA.search(f"{self.code} {self.message}"))

    @property
    def about_roles(self) -> bool:
        """Whether the model's template takes no system message."""
        return bool(_SYSTEM_ROLE.search(self.message))

    @property
    def passing(self) -> bool:
        """Whether the same request may well succeed a little later."""
        if self.overflow or self.quota_used_up or self.about_roles:
            return False
        return self.status in (408, 409, 425, 429) or (self.status >= 500 and self.status != 501)

    @property
    def about_the_request(self) -> bool:
        """Whether the server rejects something in the request, so that another request may pass."""
        return self.status in (200, 400, 404, 405, 422, 500, 501)


class RefusedError(LMError):
    """The server answered with an error."""

    def __init__(self, message: str, fault: Fault) -> None:
        super().__init__(message)
        self.fault = fault


def fault_of_body(status: int, raw: str) -> Fault:
    """Return the fault of an answer with an error status, whatever its body holds."""
    try:
        data = json.loads(raw)
    except (ValueError, RecursionError):
        data = None
    return fault_in(data, status) or Fault(status, quote(re.sub(r"<[^>]*>", " ", raw)) or "no text")


def fault_in(data: object, status: int = 200) -> Fault | None:
    """Return the fault that a JSON body or stream chunk reports, None where it reports none."""
    if not isinstance(data, dict):
        return None
    error = data.get("error")
    if not error and not data.get("choices") and ("detail" in data or "message" in data):
        error = data  # some servers send the error object bare
    if not error:
        return None
    if not isinstance(error, dict):
        return Fault(status, quote(str(error)))
    text = error.get("message") or error.get("detail") or error.get("error") or error
    message = quote(text if isinstance(text, str) else json.dumps(text, ensure_ascii=False))
    window, tokens = _count(error.get("n_ctx")), _count(error.get("n_prompt_tokens"))
    code = " ".join(str(error[field]) for field in ("code", "type") if error.get(field))
    if status == 200 and str(error.get("code", "")).isdecimal():
        status = int(error["code"])
    return Fault(
        status,
        message,
        code,
        str(error.get("param") or ""),
        tokens if tokens is not None else _first_number(_PROMPT_TOKENS, message),
        window if window is not None else _first_number((_WINDOW,), message),
    )


def overflow_error(fault: Fault, model: str) -> ContextOverflow:
    """Return the error for a prompt that is too long, with both sizes where they are known."""
    sizes = [
        f"the prompt has {fault.prompt_tokens} tokens" if fault.prompt_tokens is not None else "",
        f"the window is {fault.window}" if fault.window is not None else "",
    ]
    known = " (" + ", ".join(filter(None, sizes)) + ")" if any(sizes) else ""
    return ContextOverflow(
        f"the prompt does not fit the context window of {model}{known}: use fewer exemplars or fewer new tokens. "
        f"The server said: {fault.message}",
        window=fault.window,
        prompt_tokens=fault.prompt_tokens,
    )


def wait_asked(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Return the seconds that `retry-after-ms` or `Retry-After` (seconds or a date) ask for, None without them."""
    try:
        return max(0.0, float(headers["retry-after-ms"]) / 1000)
    except (KeyError, ValueError):
        pass
    value = headers.get("retry-after", "")
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        then = parsedate_to_datetime(value)
    except (TypeError, ValueError, OverflowError):
        return None
    then = then if then.tzinfo else then.replace(tzinfo=UTC)
    return max(0.0, (then - (now or datetime.now(UTC))).total_seconds())


def quote(text: str) -> str:
    """Return `text` on one line and of a length that fits a message."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_QUOTE else f"{line[:_LONGEST_QUOTE]} ..."


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _first_number(patterns: tuple[re.Pattern[str], ...], text: str) -> int | None:
    for pattern in patterns:
        if found := pattern.search(text):
            return int(found[1].replace(",", ""))
    return None
