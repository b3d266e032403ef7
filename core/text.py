"""Make any text safe to show. Models, pools and servers can send escape sequences, and a terminal obeys them."""

import re

# Whatever breaks a line somewhere becomes \n: a bare carriage return would let later text overwrite earlier text.
_LINE_BREAK = "\r\n?|[\x0b\x0c\x85\u2028\u2029]"
# The flags of England, Scotland and Wales are spelled with tag characters, which are invisible everywhere else.
_TAG_FLAG = "\U0001f3f4[\U000e0030-\U000e007a]+\U000e007f"
# In this order: control characters (C0, C1), zero-width space, bidirectional embeddings and overrides, word joiner
# and invisible operators, bidirectional isolates and shaping marks, half characters, byte-order mark, annotation
# marks, tags. The joiners U+200C and U+200D stay: emoji, Persian and Indic scripts need them.
_UNSAFE = (
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2060-\u2064\u2066-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
_SPECIAL = re.compile(f"({_LINE_BREAK})|{_TAG_FLAG}|({_UNSAFE})")
_BREAKS = re.compile(r"\s*[\n\t]\s*")


def printable(text: str) -> str:
    """Return `text` with nothing in it that a terminal obeys or hides, other than \\n and \\t.

    Control and bidirectional characters, invisible ones and half characters are spelled out ("\\x1b", "\\u202e");
    every kind of line break becomes \\n. Ordinary text, emoji and combining marks stay; applying it twice changes
    nothing more.
    """
    return text if text.isascii() and text.isprintable() else _SPECIAL.sub(_shown, text)


def one_line(text: str) -> str:
    """Return `printable(text)` on one line: line breaks and tabs, with the space around them, become one space."""
    return _BREAKS.sub(" ", printable(text)).strip()


def _shown(match: re.Match[str]) -> str:
    if match[1]:
        return "\n"
    if not match[2]:
        return match[0]
    code = ord(match[2])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
