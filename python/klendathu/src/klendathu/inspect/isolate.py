"""Read-only evaluation in a copy of the process.

`fork` copies the memory of the program: the code sees the live values as they are at this moment and cannot change
them. The copy has no descriptors of the program, can open no file for writing, no connection and no process, and is
killed when the time limit passes, also inside of calls of C code.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import struct
import sys
import time
import types
import warnings
from typing import Any, NoReturn

from . import guard, snippet
from .console import Capture, Sink

try:
    import resource
except ImportError:  # Windows, which has no `fork` either.
    pass

_MAX_ANSWER = 4_000_000
_MORE_MEMORY = 256 << 20

# macOS: a copy of a process with threads may crash in system libraries. Windows has no `fork`.
CAN_FORK = hasattr(os, "fork") and sys.platform not in ("darwin", "win32", "emscripten", "wasi", "ios")


def evaluate(code: types.CodeType, names: dict[str, Any], timeout: float) -> dict[str, Any]:
    """The answer of the copy: `{"result": …}` or `{"error": …}`, both with `console`. Raises `EvalFailed`."""
    deadline = time.monotonic() + timeout
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        # Python 3.12 warns of locks that other threads hold: the copy is killed if it waits for one.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        _run_copy(code, names, writer)
    os.close(writer)
    try:
        return _read_answer(reader, pid, deadline)
    finally:
        os.close(reader)
        _end(pid)


def _read_answer(reader: int, pid: int, deadline: float) -> dict[str, Any]:
    poll = select.poll()
    poll.register(reader, select.POLLIN | select.POLLHUP)
    data = b""
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            raise snippet.EvalFailed("The time limit passed. The evaluation was stopped.")
        if not poll.poll(min(left, 0.5) * 1000):
            continue
        part = os.read(reader, 65536)
        data += part
        if len(data) >= 4 and len(data) - 4 >= struct.unpack(">I", data[:4])[0]:
            answer = json.loads(data[4:])
            if isinstance(answer, dict):
                return answer
        if not part or len(data) > _MAX_ANSWER + 4:
            raise snippet.EvalFailed("The evaluation ended its process. The program is not affected.")


def _end(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    except (ProcessLookupError, ChildProcessError, PermissionError):
        pass


def _run_copy(code: types.CodeType, names: dict[str, Any], writer: int) -> NoReturn:
    status = 1
    try:
        capture = Capture()
        _cut_off(writer)
        sys.stdin = None
        sys.stdout = sys.__stdout__ = Sink(capture, "stdout")  # type: ignore[assignment,misc]
        sys.stderr = sys.__stderr__ = Sink(capture, "stderr")  # type: ignore[assignment,misc]
        guard.protect_process()
        try:
            answer: dict[str, Any] = {"result": snippet.describe(snippet.run(code, names), calls_code=True)}
        except BaseException as error:
            answer = {"error": snippet.explain(error)}
        answer["console"] = capture.since(0)[-200:]
        data = json.dumps(answer).encode("utf-8", "replace")[:_MAX_ANSWER]
        _write(writer, struct.pack(">I", len(data)) + data)
        status = 0
    except BaseException:
        pass
    finally:
        os._exit(status)


def _write(writer: int, data: bytes) -> None:
    while data:
        data = data[os.write(writer, data) :]


def _cut_off(writer: int) -> None:
    """Gives up everything that the copy shares with the program, and limits what it can use."""
    gc.disable()
    sys.dont_write_bytecode = True
    try:
        signal.set_wakeup_fd(-1)
        for name in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD, signal.SIGALRM, signal.SIGPIPE):
            signal.signal(name, signal.SIG_DFL if name != signal.SIGINT else signal.SIG_IGN)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except ValueError:
        pass
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.closerange(3, writer)
    os.closerange(writer + 1, 1 << 16)
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + _MORE_MEMORY, used + _MORE_MEMORY))
    except (OSError, ValueError):
        pass
