"""Memory that a copy of the process shares with the program becomes a private copy."""

from __future__ import annotations

import os
import re

from . import kernel

MAX_COPIED = 64 << 20
_SHARED = re.compile(rb"^([0-9a-f]+)-([0-9a-f]+) ([r-])([w-])([x-])s \S+ \S+ \d+ *(.*)$", re.MULTILINE)
# Files; reading the memory of a device may have an effect.
_COPYABLE = re.compile(rb"^(?:$|/dev/shm/|/dev/zero|/SYSV|/memfd:|/(?!dev/))")


def make_private() -> None:
    """At most `MAX_COPIED` bytes are copied. Shared memory after that cannot be accessed. Raises `OSError`."""
    with open("/proc/self/maps", "rb") as file:
        found = _SHARED.findall(file.read())
    if not found:
        return
    left = MAX_COPIED
    # A read of memory whose file has become shorter is an error here, and not the end of the process.
    memory = os.open("/proc/self/mem", os.O_RDONLY)
    try:
        for first, last, reads, writes, runs, path in found:
            start, size = int(first, 16), int(last, 16) - int(first, 16)
            content: bytes | None = None
            if reads == b"r" and size <= left and _COPYABLE.match(path):
                left -= size
                try:
                    content = os.pread(memory, size, start)
                except OSError:
                    pass
            protection = (reads == b"r") | (writes == b"w") << 1 | (runs == b"x") << 2
            kernel.replace_memory(start, content, size, protection)
    finally:
        os.close(memory)
