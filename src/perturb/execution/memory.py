"""What the allocator does with memory that is freed."""

from __future__ import annotations

import ctypes
from contextlib import suppress

__all__ = ["keep_freed_memory"]

# mallopt(3) of the GNU C library.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_KEPT_BYTES = 64 << 20
_LARGEST_KEPT_BYTES = 8 << 20


def keep_freed_memory() -> None:
    """Have this process keep up to 256 MB of what it frees, in pieces of up to 32 MB.

    Arrays of a few megabytes come and go by the thousand. Handed back to the system each time, they
    cost a tenth of a split's time in page faults. Elsewhere than on the GNU C library, nothing
    happens. For processes that are ours: workers and the command.
    """
    with suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_TRIM_THRESHOLD, _KEPT_BYTES)
        mallopt(_MMAP_THRESHOLD, _LARGEST_KEPT_BYTES)
