"""Runs the CLI as a process group of its own."""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import IO, Any, Protocol

from .._wire import FAILURE_CODES, FailureCode, LogMessage, StatusMessage, SummaryMessage
from ..errors import KlendathuError
from .find import Command

GRACE = 1.0
MAX_LINE = 1 << 20
MAX_OUTPUT = 16 << 20
_TYPES: dict[str, tuple[str, ...]] = {
    "log": ("message",),
    "server_started": ("url",),
    "turn": ("turnNumber",),
    "tool_call": ("toolName", "input"),
    "tool_result": ("toolName", "resultPreview"),
    "summary": ("turns", "cost"),
}
_running: set[subprocess.Popen[bytes]] = set()


class Listener(Protocol):
    """What a run wants to know of the CLI."""

    def status(self, message: StatusMessage) -> None: ...
    def event(self, event: dict[str, Any]) -> None: ...
    def on_stop(self, stop: Callable[[], None]) -> None: ...


@dataclass
class End:
    """How the CLI ended. `code` is negative after a signal."""

    code: int = 0
    output: str = ""
    summary: SummaryMessage | None = None
    failure: LogMessage | None = None
    noise: list[str] = field(default_factory=list)


def now() -> str:
    """ISO 8601, with milliseconds and `Z`."""
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _kill(process: subprocess.Popen[bytes], name: str) -> None:
    number = getattr(signal, name, signal.SIGTERM)
    try:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, number)
        else:
            process.kill()
    except (ProcessLookupError, PermissionError):
        pass


@atexit.register
def _kill_all() -> None:
    for process in list(_running):
        _kill(process, "SIGKILL")


def run_cli(command: Command, message: Any, listener: Listener) -> End:
    """Sends one JSON object, and waits for the end. Raises `KlendathuError` `cli-missing` if it cannot be started."""
    events_in, events_out = os.pipe()
    words = [*command.words, "--json", *(["--events-fd", str(events_out)] if os.name == "posix" else [])]
    try:
        process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=command.folder,
            env=command.env,
            start_new_session=True,
            pass_fds=(events_out,) if os.name == "posix" else (),
        )
    except OSError as error:
        os.close(events_in)
        raise KlendathuError("cli-missing", f"The agent cannot be started: {error}") from None
    finally:
        os.close(events_out)
    _running.add(process)
    end = End()
    readers = _start_readers(process, os.fdopen(events_in, "rb"), listener=listener, end=end)
    threading.Thread(target=_send, args=(process, message), daemon=True).start()
    timers: list[threading.Timer] = []

    def stop() -> None:
        _kill(process, "SIGTERM")
        timer = threading.Timer(GRACE, _kill, (process, "SIGKILL"))
        timer.daemon = True
        timer.start()
        timers.append(timer)

    listener.on_stop(stop)
    end.code = process.wait()
    for reader in readers:
        reader.join(GRACE)
    # A program that it left behind may hold the streams open.
    _kill(process, "SIGKILL")
    _running.discard(process)
    for timer in timers:
        timer.cancel()
    return end


def _send(process: subprocess.Popen[bytes], message: Any) -> None:
    assert process.stdin is not None
    try:
        with process.stdin as stream:
            stream.write(json.dumps(message).encode("utf-8", "replace"))
    except (OSError, ValueError):
        pass  # It ended before it read everything; its exit code says why.


def _start_readers(
    process: subprocess.Popen[bytes], events: IO[bytes], *, listener: Listener, end: End
) -> list[threading.Thread]:
    def on_status(line: str) -> None:
        message = to_status(line)
        if message is None:
            end.noise = [*end.noise, line[:2000]][-20:]
            listener.status({"type": "log", "message": line[:2000], "timestamp": now()})
            return
        if message["type"] == "summary":
            end.summary = message
        elif message["type"] == "log" and message.get("level") == "error":
            end.failure = message
        listener.status(message)

    def on_output(line: str) -> None:
        if len(end.output) < MAX_OUTPUT:
            end.output += line + "\n"

    def on_event(line: str) -> None:
        event = _parse(line)
        if isinstance(event, dict) and isinstance(event.get("type"), str):
            listener.event(event)

    streams = ((process.stdout, on_output), (process.stderr, on_status), (events, on_event))
    threads = [threading.Thread(target=_read, args=pair, daemon=True) for pair in streams]
    for thread in threads:
        thread.start()
    return threads


def _read(stream: IO[bytes], on_line: Callable[[str], None]) -> None:
    try:
        with stream:
            while True:
                line = stream.readline(MAX_LINE)
                if not line:
                    return
                text = line.decode("utf-8", "replace").rstrip("\r\n")
                if text.strip():
                    on_line(text)
    except (OSError, ValueError):
        pass


def _parse(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def to_status(line: str) -> StatusMessage | None:
    """The message of a line; None for anything else that a program prints."""
    message = _parse(line)
    if not isinstance(message, dict):
        return None
    needed = _TYPES.get(str(message.get("type")))
    if needed is None or not all(name in message for name in needed):
        return None
    message.setdefault("timestamp", now())
    return message  # type: ignore[return-value]


def to_failure(end: End) -> KlendathuError:
    """Why the CLI ended without a report."""
    code = end.failure.get("code") if end.failure is not None else None
    if end.failure is not None and code in FAILURE_CODES:
        return KlendathuError(code, end.failure["message"], end.failure.get("hint", ""))
    known: FailureCode | None = next((name for name, status in FAILURE_CODES.items() if status == end.code), None)
    detail = end.failure["message"] if end.failure is not None else "; ".join(end.noise[-3:])
    if known is not None and (end.summary is not None or end.failure is not None):
        return KlendathuError(known, detail or f"The agent ended with the exit code {end.code}.")
    if end.summary is not None and end.code > 0:
        return KlendathuError("model", detail or f"The agent ended with the exit code {end.code}.")
    how = f"was killed by signal {-end.code}" if end.code < 0 else f"ended with the exit code {end.code}"
    return KlendathuError("cli-died", f"The agent {how}, without a summary. {detail}".strip())


