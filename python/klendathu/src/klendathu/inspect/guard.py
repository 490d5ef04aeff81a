"""An audit hook that refuses effects outside of the memory of the process."""

from __future__ import annotations

import os
import sys
import threading
from typing import Any


class Blocked(PermissionError):
    """A read-only evaluation tried to write, connect, start or end something."""


_READS = frozenset(["os.listdir", "os.scandir", "os.walk", "os.fwalk", "os.getxattr", "os.listxattr", "os.listdrives"])
_PREFIXES = (
    "os.", "subprocess.", "shutil.", "ctypes.", "ftplib.", "smtplib.", "http.client.", "urllib.", "imaplib.", "poplib.",
    "nntplib.", "telnetlib.", "webbrowser.", "winreg.", "msvcrt.", "syslog.", "fcntl.", "resource.", "pty.", "tempfile.",
    "mmap.", "_winapi.", "cpython.remote", "sys.remote", "signal.", "socket.",
)  # fmt: skip
_EVENTS = frozenset(["sys.settrace", "sys.setprofile", "sys.addaudithook", "setopencodehook", "builtins.input"])
# `socket.__new__` only makes an object: an event loop makes a pair of them.
_ALLOWED = frozenset(["socket.__new__", "socket.gethostname", *_READS])
_WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# C code that causes no event, with its functions that write files.
_WRITERS = {
    "_dbm": ("open",),
    "_gdbm": ("open",),
    "dbm.gnu": ("open",),
    "dbm.ndbm": ("open",),
    "readline": ("write_history_file", "append_history_file"),
}
_NATIVE = frozenset(
    ["ctypes", "_ctypes", "cffi", "_cffi_backend", "multiprocessing", "_posixshmem", "_posixsubprocess", *_WRITERS]
)

_threads: set[int] = set()
_everywhere = False
_installed = False


def _hook(event: str, args: tuple[Any, ...]) -> None:
    if not _everywhere and threading.get_ident() not in _threads:
        return
    if event == "open":
        _check_open(args)
    elif event == "import":
        if args[0] in _NATIVE and args[0] not in sys.modules:
            raise Blocked(f"read-only: the import of {args[0]} is not allowed")
    elif event in _EVENTS or (event.startswith(_PREFIXES) and event not in _ALLOWED):
        raise Blocked(f"read-only: {event} is not allowed")
    elif event == "sqlite3.connect" and args[0] != ":memory:":
        raise Blocked("read-only: only databases in memory can be opened")
    elif event == "_thread.start_new_thread" and not _everywhere:
        # Its thread would run without this guard.
        raise Blocked("read-only: no thread can be started")


def _check_open(args: tuple[Any, ...]) -> None:
    mode = args[1] if len(args) > 1 else None
    flags = args[2] if len(args) > 2 else 0
    writes = isinstance(mode, str) and any(letter in mode for letter in "wax+")
    if writes or (isinstance(flags, int) and flags & _WRITE_FLAGS):
        raise Blocked("read-only: the file cannot be opened for writing")


def _refuse(*_: object, **__: object) -> None:
    raise Blocked("read-only: the file cannot be opened for writing")


def _install() -> None:
    global _installed
    if not _installed:
        _installed = True
        sys.addaudithook(_hook)


def protect_process() -> None:
    """Every thread of this process, until it ends."""
    global _everywhere
    _everywhere = True
    # The program may have imported them.
    for name, functions in _WRITERS.items():
        for function in functions if name in sys.modules else ():
            setattr(sys.modules[name], function, _refuse)
    _install()


class protect_thread:
    """A context in which the current thread is protected."""

    def __enter__(self) -> None:
        _install()
        _threads.add(threading.get_ident())

    def __exit__(self, *_: object) -> None:
        _threads.discard(threading.get_ident())
