"""A state change as Python-like function calls, and the way back. What a model writes is read, never run.

    hotel(area='centre', book_day=None)        area is now centre, the day was taken back
    taxi(destination=hotel.name)               the taxi goes to whatever hotel.name is
    pass                                       nothing changed

Text is parsed by `ast.parse`, and of the tree only calls of a plain name with literal keywords are understood.
Everything else is left out with a note that says so.
"""

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field

from .state import Change, Ref, Value

NO_CHANGE = "pass"

#: More than any state change takes; deeper text is not worth parsing, and could exhaust the parser. Nor has a number
#: of so many characters, hexadecimal ones included, more decimal digits than Python writes (4300).
_LONGEST = 3000
_MOST_MENDS = 40
_FENCE = re.compile(r"```[a-zA-Z]*\n(.*?)(?:```|\Z)", re.DOTALL)
_NEXT_EXEMPLAR = re.compile(r"\n(?:Question|State|System|User|Answer):")


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a text says. `read` is False where it holds no update at all, not even `pass`."""

    change: dict[str, Value] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    read: bool = False


def render(change: Change) -> str:
    """Return the change as calls, one a domain, in the order of the change; `pass` where it is empty."""
    calls: dict[str, list[str]] = {}
    for slot, value in change.items():
        domain, _, name = slot.partition("-")
        calls.setdefault(domain, []).append(f"{name}={_literal(value)}")
    return "; ".join(f"{domain}({', '.join(arguments)})" for domain, arguments in calls.items()) or NO_CHANGE


def parse(text: str) -> Parsed:
    """Return the change that a text describes, as far as it does; never raises, never runs anything."""
    change: dict[str, Value] = {}
    notes: list[str] = []
    read = False
    for statement in _statements(_code(text), notes):
        if isinstance(statement, ast.Pass):
            read = True
            continue
        call = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            notes.append(f"not an update: {_shown(statement)}")
            continue
        found = dict(_arguments(call, call.func.id, notes))
        change |= found
        read = read or bool(found) or not (call.args or call.keywords)
    if not (read or notes):
        notes.append("the reply is empty")
    return Parsed(change, tuple(notes), read)


def _literal(value: Value) -> str:
    return value.slot.replace("-", ".", 1) if isinstance(value, Ref) else repr(value)


def _code(text: str) -> str:
    """Return the part of a reply that is the update: after any thinking, inside a fence, before the next exemplar."""
    _, closed, after = text.partition("</think>")
    reply = after if closed else text.partition("<think>")[0]
    fence = _FENCE.search(reply)
    code = fence[1] if fence else reply.strip()
    following = _NEXT_EXEMPLAR.search(code)
    return (code[: following.start()] if following else code)[:_LONGEST]


def _statements(code: str, notes: list[str]) -> Iterator[ast.stmt]:
    """Yield the statements of the code; where it cannot be parsed as a whole, those of each line that can."""
    whole = _tree(code)
    if whole is not None:
        yield from whole
        return
    for line in filter(None, map(str.strip, code.splitlines())):
        statements = _tree(line)
        if statements is None:
            statements = _mended(line)
            notes.append(f"{'cut off' if statements else 'not an update'}: {_shorten(line)}")
        yield from statements or ()


def _mended(line: str) -> list[ast.stmt] | None:
    """Return the calls of a line that breaks off, without the argument it breaks off in; None if nothing is whole."""
    if not re.match(r"\s*\w+\s*\(", line):
        return None
    cuts = [len(line), *(m.start() for m in reversed(list(re.finditer(r"[,;)]", line))))][:_MOST_MENDS]
    for cut in cuts:
        for closing in ("", ")"):
            statements = _tree(line[:cut] + closing)
            if statements and all(map(_has_arguments, statements)):
                return statements
    return None


def _has_arguments(statement: ast.stmt) -> bool:
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and bool(call.args or call.keywords)


def _tree(code: str) -> list[ast.stmt] | None:
    try:
        with warnings.catch_warnings(action="ignore"):  # a stray backslash in a reply is not the user's concern
            return ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _arguments(call: ast.Call, domain: str, notes: list[str]) -> Iterator[tuple[str, Value]]:
    for unnamed in call.args:
        notes.append(f"{domain}: a value without a slot: {_shown(unnamed)}")
    for argument in call.keywords:
        if argument.arg is None:
            notes.append(f"{domain}: not a slot: {_shown(argument.value)}")
            continue
        match argument.value:
            case ast.Constant(value=str() | None as value):
                yield f"{domain}-{argument.arg}", value
            case ast.Constant(value=bool() | int() | float() as value):
                yield f"{domain}-{argument.arg}", str(value)
            case ast.Attribute(value=ast.Name(id=other), attr=slot):
                yield f"{domain}-{argument.arg}", Ref(f"{other}-{slot}")
            case node:
                notes.append(f"{domain}.{argument.arg}: neither a text nor a slot: {_shown(node)}")


def _shown(node: ast.AST) -> str:
    try:
        return _shorten(ast.unparse(node))
    except (RecursionError, ValueError):
        return type(node).__name__


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else f"{line[:77]}..."
