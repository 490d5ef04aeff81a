"""What the program prints while it is investigated."""

from __future__ import annotations

import sys
import threading
from typing import Any

from .._wire import ConsoleEntry

MAX_ENTRIES = 500
MAX_TEXT = 20_000


class Capture:
    """Printed lines: at most `MAX_ENTRIES` entries of at most `MAX_TEXT` characters each."""

    def __init__(self) -> None:
        self._entries: list[ConsoleEntry] = []
        self._seq = 0
        self._lock = threading.Lock()

    def add(self, level: str, text: str) -> None:
        with self._lock:
            last = self._entries[-1] if self._entries else None
            # `print` writes the text and the line end separately.
            if last and last["level"] == level and not last["text"].endswith("\n") and len(last["text"]) < MAX_TEXT:
                last["text"] = (last["text"] + text)[:MAX_TEXT]
                return
            self._seq += 1
            self._entries.append({"seq": self._seq, "level": level, "text": text[:MAX_TEXT]})
            del self._entries[:-MAX_ENTRIES]

    def since(self, seq: int) -> list[ConsoleEntry]:
        with self._lock:
            found = [entry for entry in self._entries if entry["seq"] > seq]
            return [{**entry, "text": entry["text"].rstrip("\n")} for entry in found]


class _Tee:
    """In the place of `sys.stdout` or `sys.stderr`: copies to the captures; an evaluation writes to its own only."""

    def __init__(self, stream: Any, level: str) -> None:
        self._stream = stream
        self._level = level

    def write(self, text: str) -> int:
        own = _routes.get(threading.get_ident())
        if own is not None:
            own.add(self._level, text)
            return len(text)
        for capture in list(_captures):
            capture.add(self._level, text)
        return int(self._stream.write(text) or 0)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


_captures: list[Capture] = []
_routes: dict[int, Capture] = {}
_lock = threading.Lock()


def subscribe(capture: Capture) -> None:
    """Copies what the program prints to the capture from now on."""
    with _lock:
        _captures.append(capture)
        if not isinstance(sys.stdout, _Tee):
            sys.stdout = _Tee(sys.stdout, "stdout")
        if not isinstance(sys.stderr, _Tee):
            sys.stderr = _Tee(sys.stderr, "stderr")


def unsubscribe(capture: Capture) -> None:
    """Ends the copies, and restores the streams after the last one."""
    with _lock:
        if capture in _captures:
            _captures.remove(capture)
        if _captures:
            return
        if isinstance(sys.stdout, _Tee):
            sys.stdout = sys.stdout._stream
        if isinstance(sys.stderr, _Tee):
            sys.stderr = sys.stderr._stream


def route(capture: Capture | None, thread: int | None = None) -> None:
    """What the thread prints goes to the capture; None: to the program's output again."""
    key = threading.get_ident() if thread is None else thread
    if capture is None:
        _routes.pop(key, None)
    else:
        _routes[key] = capture


class Sink:
    """A text stream into a capture, for a process of its own."""

    encoding = "utf-8"
    errors = "replace"

    def __init__(self, capture: Capture, level: str) -> None:
        self._capture = capture
        self._level = level

    def write(self, text: str) -> int:
        self._capture.add(self._level, str(text))
        return len(text)

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return False

    def writable(self) -> bool:
        return True
