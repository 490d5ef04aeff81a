"""Landlock: which files a process can read. See `linux/landlock.h`."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable

from . import kernel

_CREATE, _ADD, _RESTRICT = 444, 445, 446
READ_FILE, READ_DIR = 1 << 2, 1 << 3
# Rights over files, by the first version that knows them.
_RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}


def version() -> int:
    """The version of the kernel; 0: there is none."""
    if not kernel.IS_KNOWN:
        return 0
    try:
        return kernel.call(_CREATE, 0, 0, 1)
    except OSError:
        return 0


def make_ruleset(grants: Iterable[tuple[str, int]]) -> int:
    """A descriptor of a set of rules that allows paths with rights, and nothing else. Raises `OSError`.

    What does not exist, or is a link now, is left out.
    """
    known = version()
    handled = (1 << max(bits for since, bits in _RIGHTS.items() if since <= known)) - 1
    # Connections (since 4), signals and abstract sockets (since 6).
    attributes = struct.pack("<QQQ", handled, 3, 3)[: 24 if known >= 6 else 16 if known >= 4 else 8]
    ruleset = kernel.call(_CREATE, attributes, len(attributes), 0)
    try:
        for path, rights in grants:
            _add(ruleset, path, rights)
    except BaseException:
        os.close(ruleset)
        raise
    return ruleset


def _add(ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (OSError, ValueError):
        return
    try:
        # Packed: rights, descriptor.
        kernel.call(_ADD, ruleset, 1, struct.pack("<Qi", rights, place), 0)
    except OSError:
        pass  # READ_DIR of what is now a file.
    finally:
        os.close(place)


def restrict(ruleset: int) -> None:
    """From now on and for ever. Needs PR_SET_NO_NEW_PRIVS. Raises `OSError`."""
    kernel.call(_RESTRICT, ruleset, 0)
