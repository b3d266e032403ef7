"""The address of an OpenAI-compatible server, repaired from what people paste."""

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from ..errors import UsageError

_PASTED = ("/chat/completions", "/completions")
_LOCAL_SUFFIXES = (".localhost", ".local", ".internal", ".lan")


@dataclass(frozen=True, slots=True)
class Address:
    """`base` ends without a slash. A `local` server asks for no key; a `loopback` one is never reached by a proxy."""

    base: str
    local: bool
    loopback: bool


def repair_address(base_url: str) -> Address:
    """Return the base address under which `/chat/completions` lies.

    A missing scheme becomes http for local hosts and https for all others, a pasted `/chat/completions` is taken
    off, and an empty path becomes `/v1`. Any other path is a proxy's prefix and stays. Raises UsageError.
    """
    text = base_url.strip()
    if "://" not in text:
        text = f"http://{text}"
        if not _is_local(_host(text, base_url)):
            text = text.replace("http://", "https://", 1)
    host = _host(text, base_url)
    parts = urlsplit(text)
    if parts.username or parts.password:
        raise UsageError(
            "endpoint.base_url holds a name or password; take it out and put the key into the variable that "
            "endpoint.api_key_env names"
        )
    if parts.query or parts.fragment:
        raise UsageError(
            "endpoint.base_url (not shown, it may hold a key): take off what follows the path, from ? or # on; "
            "write for instance http://host/v1"
        )
    path = parts.path.rstrip("/")
    for pasted in _PASTED:
        path = path.removesuffix(pasted).rstrip("/")
    base = f"{parts.scheme.lower()}://{parts.netloc}{path or '/v1'}"
    return Address(base, _is_local(host), _is_loopback(host))


def _host(text: str, base_url: str) -> str:
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port  # a port that is no number raises here
    except ValueError:
        host = None
    if not host or parts.scheme.lower() not in ("http", "https"):
        shown = repr(base_url) if "@" not in base_url else "(not shown, it may hold a password)"
        raise UsageError(f"endpoint.base_url {shown} is not an address; write for instance http://127.0.0.1:8000/v1")
    return host


def _is_loopback(host: str) -> bool:
    ip = _ip(host)
    if ip is not None:
        return ip.is_loopback or ip.is_unspecified
    return host == "localhost" or host.endswith(".localhost")


def _is_local(host: str) -> bool:
    ip = _ip(host)
    if ip is not None:
        return ip.is_private or ip.is_loopback or ip.is_link_local or ip.is_unspecified
    return "." not in host or host.endswith(_LOCAL_SUFFIXES)


def _ip(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
