"""The text of a reply while it grows: whole characters only, and nothing of a stop string."""

from collections.abc import Callable, Sequence

#: What decoders write for bytes that are no character yet.
_INCOMPLETE = "\ufffd"


class ReplyText:
    """Takes tokens one by one and says which text has become certain.

    Text is held back while its last bytes are no whole character, and while its end could be the start of a stop
    string. `decode` turns a list of tokens into text.
    """

    def __init__(self, decode: Callable[[list[int]], str], stop: Sequence[str] = ()) -> None:
        self._decode = decode
        self._stop = [s for s in stop if s]
        self._tokens: list[int] = []
        # A tail of the tokens is decoded twice, with and without the new ones: what a token adds depends on the
        # tokens before it, and decoding all of them each time would cost quadratic time.
        self._tail_start = 0
        self._tail_read = 0
        self._text = ""
        self._released = 0
        self.stopped = False

    @property
    def text(self) -> str:
        """What has been released so far."""
        return self._text[: self._released]

    def add(self, token: int) -> str:
        """Return the text that `token` made certain; sets `stopped` when a stop string is complete."""
        self._tokens.append(token)
        new = self._undecoded()
        if not new or new.endswith(_INCOMPLETE):
            return ""
        self._tail_start, self._tail_read = self._tail_read, len(self._tokens)
        return self._extend(new)

    def finish(self) -> str:
        """Return what was still held back, without a last character that never became whole."""
        if self.stopped:
            return ""
        piece = self._extend(self._undecoded().rstrip(_INCOMPLETE))
        return piece if self.stopped else piece + self._release(len(self._text))

    def _undecoded(self) -> str:
        read = self._decode(self._tokens[self._tail_start : self._tail_read])
        return self._decode(self._tokens[self._tail_start :])[len(read) :]

    def _extend(self, new: str) -> str:
        searched_from = max(0, len(self._text) - max(map(len, self._stop), default=0))
        self._text += new
        found = [at for s in self._stop if (at := self._text.find(s, searched_from)) >= 0]
        if found:
            self.stopped = True
            return self._release(min(found))
        return self._release(len(self._text) - self._possible_stop())

    def _possible_stop(self) -> int:
        """Return how many characters at the end could begin a stop string."""
        longest = max((len(s) - 1 for s in self._stop), default=0)
        ends = (self._text[-size:] for size in range(min(longest, len(self._text)), 0, -1))
        return next((len(end) for end in ends if any(s.startswith(end) for s in self._stop)), 0)

    def _release(self, end: int) -> str:
        piece = self._text[self._released : end]
        self._released = max(self._released, end)
        return piece
