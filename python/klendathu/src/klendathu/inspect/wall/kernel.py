"""System calls that Python has no function for.

`ctypes` is loaded with this module, which the program imports before the first evaluation: the copy of a program with
threads cannot import safely.
"""

from __future__ import annotations

import os
import platform
import sys
from typing import Any

try:
    import ctypes

    _libc: Any = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
except (ImportError, OSError):  # Python without libffi.
    _libc = None

PR_SET_PDEATHSIG = 1
PR_SET_NO_NEW_PRIVS = 38
_CAPABILITY_VERSION_3 = 0x20080522
# Both number of calls and architecture of the filter, see `linux/audit.h`.
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
MACHINE = platform.machine() if sys.platform == "linux" and sys.maxsize > 1 << 32 else ""
IS_KNOWN = _libc is not None and MACHINE in ARCHITECTURES and sys.byteorder == "little"
_CAPSET = {"x86_64": 126, "aarch64": 91}
_CLOSE_RANGE = 436

if _libc is not None:
    _libc.syscall.restype = ctypes.c_long
    _libc.prctl.restype = ctypes.c_int
    _libc.mmap.restype = ctypes.c_void_p
    _libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    _libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


def call(number: int, *arguments: Any) -> int:
    """The result of a system call. Integers are passed as 64 bits. Raises `OSError`."""
    converted = [ctypes.c_long(item) if isinstance(item, int) else item for item in arguments]
    result = int(_libc.syscall(ctypes.c_long(number), *converted))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def place(data: bytes) -> tuple[Any, int]:
    """A copy that stays where it is as long as there is a reference to it, and its address."""
    buffer = ctypes.create_string_buffer(data, len(data))
    return buffer, ctypes.addressof(buffer)


def control(option: int, value: int) -> None:
    """`prctl`. Raises `OSError`."""
    if _libc.prctl(option, *[ctypes.c_ulong(item) for item in (value, 0, 0, 0)]) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def drop_capabilities() -> None:
    """Root becomes a user like others. Raises `OSError`."""
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    call(_CAPSET[MACHINE], ctypes.byref(header), ctypes.byref((ctypes.c_uint32 * 6)()))


def close_all_except(kept: int) -> None:
    """Closes every descriptor from 3 on, but one."""
    if IS_KNOWN:
        try:
            if kept > 3:
                call(_CLOSE_RANGE, 3, kept - 1, 0)
            call(_CLOSE_RANGE, kept + 1, 0xFFFFFFFF, 0)
            return
        except OSError:
            pass
    try:
        numbers = [int(name) for name in os.listdir("/proc/self/fd")]
    except OSError:
        numbers = list(range(3, 1 << 16))
    for number in numbers:
        if number > 2 and number != kept:
            try:
                os.close(number)
            except OSError:
                pass


def replace_memory(start: int, content: bytes | None, size: int, protection: int) -> None:
    """Private memory at the place of a mapping; without a content it cannot be accessed. Raises `OSError`."""
    # PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS
    if _libc.mmap(start, size, 0 if content is None else 3, 0x32, -1, 0) != start:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    if content is not None:
        ctypes.memmove(start, content, len(content))
        if protection != 3:
            _libc.mprotect(start, size, protection)
