"""An audit hook that refuses effects outside of the memory of the process.

It explains, and it is the second wall. The first one is that of the kernel: see `wall`.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import Any

from .wall.secret_files import CREDENTIALS, ENVIRONMENT, PUBLIC


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


def _refuse(*_: object, **__: object) -> None:
    raise Blocked("read-only: the file cannot be opened for writing")


def _make_hook() -> Any:
    """A hook that is always on, with nothing that evaluated code could write.

    It reads no global name: only its parameters, whose values cannot be changed, and constants. Changing its code or
    their values causes an event, which it refuses. A failure of it refuses, too.
    """

    def klendathu_hook(
        event: str, args: Any, /, type: Any = type, text: Any = str, fspath: Any = os.fspath, blocked: Any = Blocked,
        prefixes: Any = _PREFIXES, events: Any = _EVENTS, allowed: Any = _ALLOWED, native: Any = _NATIVE,
        flags: int = _WRITE_FLAGS, loaded: Any = frozenset(sys.modules),
        searches: Any = (ENVIRONMENT.search, CREDENTIALS.search, PUBLIC.search),
    ) -> None:  # fmt: skip
        if event == "open":
            mode, given = args[1], args[2]
            if (type(given) is not type(0) or given & flags) or (mode is not None and not {*"wax+"}.isdisjoint(mode)):
                raise blocked("read-only: the file cannot be opened for writing")
            if type(args[0]) is not type(0):
                path = fspath(args[0])
                lower = (text(path, "utf-8", "replace") if type(path) is not text else path).lower()
                if searches[0](lower) or (searches[1](lower) and not searches[2](lower.rpartition("/")[2])):
                    raise blocked("read-only: a file of secrets cannot be read")
        elif event == "import":
            if args[0] in native and args[0] not in loaded:
                raise blocked(f"read-only: the import of {args[0]} is not allowed")
        elif event == "object.__setattr__":
            if args[1] in ("__code__", "__defaults__", "__kwdefaults__") and args[0].__code__.co_name == "klendathu_hook":
                raise blocked("read-only: the guard cannot be changed")
        elif event in events or (event.startswith(prefixes) and event not in allowed):
            raise blocked(f"read-only: {event} is not allowed")
        elif event == "sqlite3.connect" and args[0] != ":memory:":
            raise blocked("read-only: only databases in memory can be opened")

    return klendathu_hook


def protect_process() -> None:
    """Every thread of this process, until it ends."""
    # The program may have imported them.
    for name, functions in _WRITERS.items():
        for function in functions if name in sys.modules else ():
            setattr(sys.modules[name], function, _refuse)
    sys.addaudithook(_make_hook())


_threads: set[int] = set()
_hook: Any = None


def _install() -> None:
    """The hook of the program: on for some threads, which evaluated code could change. No wall."""
    global _hook
    if _hook is not None:
        return
    _hook = _make_hook()

    def hook(event: str, args: Any) -> None:
        if threading.get_ident() in _threads:
            if event == "_thread.start_new_thread":
                # Its thread would run without this guard.
                raise Blocked("read-only: no thread can be started")
            _hook(event, args)

    sys.addaudithook(hook)


class protect_thread:
    """A context in which the current thread is protected."""

    def __enter__(self) -> None:
        _install()
        _threads.add(threading.get_ident())

    def __exit__(self, *_: object) -> None:
        _threads.discard(threading.get_ident())
