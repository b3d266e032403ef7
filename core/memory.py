"""Keep freed memory for the next step instead of giving it back to the system."""

import contextlib
import ctypes

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_LARGE = 2**30


def keep_freed_memory() -> None:
    """Raise the thresholds of glibc's malloc for this process; nothing where there is no glibc.

    Below them every large tensor is a fresh mapping whose pages the system has to clear again.
    """
    with contextlib.suppress(OSError, AttributeError):
        malloc = ctypes.CDLL(None).mallopt
        malloc(_MMAP_THRESHOLD, _LARGE)
        malloc(_TRIM_THRESHOLD, _LARGE)
