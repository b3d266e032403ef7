"""The request body, and what one server and model turned out not to accept in it."""

import re
from typing import Any, Literal

from ..errors import LMError
from ..prompts import Prompt
from .base import Sampling
from .openai_faults import NO_LOG_PROBABILITIES, Fault

_OPTIONAL = ("stream_options", "logprobs", "n", "top_p", "temperature", "stop", "seed", "max_tokens")
_TOLD = {
    "top_p": "top_p",
    "temperature": "temperature",
    "stop": "stop texts",
    "seed": "seed",
}
_REFUSES = re.compile(
    r"unsupported|not support|unrecogni[sz]ed|unknown|unexpected|not permitted|not allowed|only the default"
    r"|extra (?:inputs|fields)|extra_forbidden",
    re.IGNORECASE,
)


class Dialect:
    """Builds request bodies and learns from refusals. Each thing learned is told once in `notices`."""

    def __init__(self, model: str, api: Literal["chat", "completions"], notices: list[str]) -> None:
        self.model = model
        self.api = api
        self.notices = notices
        self.one_at_a_time = False  # the server ignores or refuses `n`
        self.closes_think_only = False  # reasoning starts without its opening tag
        self._dropped: set[str] = set()
        self._limit = "max_tokens"
        self._folds_system = False

    def body(self, prompt: Prompt, sampling: Sampling, *, stream: bool = False) -> dict[str, Any]:
        """Return the request for `prompt`."""
        body: dict[str, Any] = {"model": self.model}
        if self.api == "chat":
            body["messages"] = prompt.messages(system=not self._folds_system)
        else:
            body["prompt"] = prompt.text()
        body[self._limit] = sampling.max_tokens
        wanted = {
            "temperature": sampling.temperature,
            "top_p": sampling.top_p if sampling.top_p != 1 and sampling.temperature > 0 else None,
            "n": sampling.n if sampling.n > 1 and not self.one_at_a_time else None,
            "stop": list(sampling.stop) or None,
            "seed": sampling.seed,
            "logprobs": (True if self.api == "chat" else 1) if sampling.logprobs else None,
            "stream": stream or None,
            "stream_options": {"include_usage": True} if stream else None,
        }
        body |= {name: value for name, value in wanted.items() if value is not None and name not in self._dropped}
        return body

    def adapt(self, fault: Fault, body: dict[str, Any]) -> bool:
        """Learn from a refused `body`; return whether another try, with a new body, makes sense.

        Raises LMError where what is refused cannot be left out.
        """
        if not fault.about_the_request:
            return False
        messages = body.get("messages") or [{}]
        if messages[0].get("role") == "system" and fault.about_roles:
            self._tell(f"{self.model} takes no system message: the instruction goes into the first user turn")
            self._folds_system = True
            return True
        name = refused_parameter(fault, body)
        if name is None:
            return False
        if name == "logprobs":
            raise LMError(f"{self.model} {NO_LOG_PROBABILITIES}")
        if name == "n":
            self.one_at_a_time = True
        elif name == "max_tokens":
            self._limit = "max_completion_tokens"
        else:
            self._dropped.add(name)
            if name in _TOLD:
                self._tell(f"{self.model} does not accept {_TOLD[name]}: the model's own default holds")
        return True

    def _tell(self, notice: str) -> None:
        if notice not in self.notices:
            self.notices.append(notice)


def refused_parameter(fault: Fault, body: dict[str, Any]) -> str | None:
    """Return which optional field of `body` the server will not have, None where the fault is another."""
    if not _REFUSES.search(f"{fault.code} {fault.message}"):
        return None
    named = re.split(r"[.\[]", fault.param)[0]
    if named:
        return named if named in _OPTIONAL and named in body else None
    for name in _OPTIONAL:
        # Short names are also plain words ("stop"), so they count only where they are quoted.
        quoted = rf"['\"`{{]{name}['\"`}}.]" if name in ("n", "stop", "seed") else rf"\b{name}\b"
        if name in body and re.search(quoted, fault.message):
            return name
    return None
