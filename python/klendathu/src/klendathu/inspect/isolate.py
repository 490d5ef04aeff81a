"""Read-only evaluation in a copy of the process.

`fork` copies the memory of the program: the code sees the live values as they are at this moment and cannot change
them. The copy has no descriptors and no shared memory of the program, the kernel refuses it every effect (see `wall`),
and it is killed when the time limit passes, also inside of calls of C code.
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
from typing import Any, NamedTuple, NoReturn

from . import guard, snippet
from .console import Capture, Sink
from .wall import kernel
from .wall.wall import NoWall, Wall

try:
    import resource
except ImportError:  # Windows, which has no `fork` either.
    pass

_MAX_ANSWER = 4_000_000
_MOST_FILES = 128
_MORE_MEMORY = 256 << 20
_ENDED = "The evaluation ended its process. The program is not affected."

# macOS: a copy of a process with threads may crash in system libraries. Windows has no `fork`.
CAN_FORK = hasattr(os, "fork") and sys.platform not in ("darwin", "win32", "emscripten", "wasi", "ios")


def evaluate(code: types.CodeType, names: dict[str, Any], timeout: float, *, wall: Wall) -> dict[str, Any]:
    """The answer of the copy: `{"result": …}` or `{"error": …}`, both with `console`. Raises `EvalFailed`."""
    deadline = time.monotonic() + timeout
    reader, writer = os.pipe()
    program = os.getpid()
    with warnings.catch_warnings():
        # Python 3.12 warns of locks that other threads hold: the copy is killed if it waits for one.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        _run_copy(_Copy(code, names, writer, wall, program, timeout))
    handle = _open_process(pid)
    os.close(writer)
    try:
        return _read_answer(reader, deadline)
    finally:
        os.close(reader)
        _end(pid, handle)


class _Copy(NamedTuple):
    code: types.CodeType
    names: dict[str, Any]
    writer: int
    wall: Wall
    program: int
    timeout: float


def _open_process(pid: int) -> int | None:
    """A handle of the copy: its number may belong to another process once the program has waited for all children."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def _read_answer(reader: int, deadline: float) -> dict[str, Any]:
    poll = select.poll()
    poll.register(reader, select.POLLIN | select.POLLHUP)
    data = bytearray()
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            raise snippet.EvalFailed("The time limit passed. The evaluation was stopped.")
        if not poll.poll(min(left, 0.5) * 1000):
            continue
        part = os.read(reader, 65536)
        data += part
        if len(data) >= 4 and len(data) - 4 >= struct.unpack(">I", data[:4])[0]:
            return _parse_answer(data[4:])
        if not part or len(data) > _MAX_ANSWER + 4:
            raise snippet.EvalFailed(_ENDED)


def _parse_answer(data: bytearray) -> dict[str, Any]:
    """Evaluated code can write what it likes: its answer has the types of an answer, or it is none."""
    try:
        # A number of a million digits takes minutes.
        found = json.loads(data, parse_int=lambda digits: int(digits[:9]), parse_float=len, parse_constant=len)
        name = "error" if "error" in found else "result"
        answer = {name: _cut(found[name])}
        printed = [{"seq": e["seq"] + 0, "level": _cut(e["level"]), "text": _cut(e["text"])} for e in found["console"][:200]]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise snippet.EvalFailed(_ENDED) from None
    return {**answer, "console": printed}


def _cut(text: Any) -> str:
    return str.__getitem__(text, slice(snippet.MAX_RESULT))


def _end(pid: int, handle: int | None) -> None:
    try:
        if handle is None:
            os.kill(pid, signal.SIGKILL)
        else:
            signal.pidfd_send_signal(handle, signal.SIGKILL)
        os.waitpid(pid, 0)
    except (ProcessLookupError, ChildProcessError, PermissionError):
        pass
    finally:
        if handle is not None:
            os.close(handle)


def _run_copy(copy: _Copy) -> NoReturn:
    status = 1
    try:
        capture = Capture()
        sys.stdin = None
        sys.stdout = sys.__stdout__ = Sink(capture, "stdout")  # type: ignore[assignment,misc]
        sys.stderr = sys.__stderr__ = Sink(capture, "stderr")  # type: ignore[assignment,misc]
        try:
            _cut_off(copy)
            guard.protect_process()
            answer: dict[str, Any] = {"result": snippet.describe(snippet.run(copy.code, copy.names), calls_code=True)}
        except NoWall as missing:
            answer = {"error": refusal(missing)}
        except BaseException as error:
            answer = {"error": snippet.explain(error) + _hint(error)}
        answer["console"] = capture.since(0)[-200:]
        data = json.dumps(answer).encode("utf-8", "replace")[:_MAX_ANSWER]
        _write(copy.writer, struct.pack(">I", len(data)) + data)
        status = 0
    except BaseException:
        pass
    finally:
        os._exit(status)


def _hint(error: BaseException) -> str:
    if not isinstance(error, PermissionError) or isinstance(error, guard.Blocked):
        return ""
    return ". Read-only evaluation has no effects, and reads the files of the project and of Python only"


def refusal(missing: NoWall) -> str:
    return (
        f"Read-only evaluation is refused: {missing}, so nothing could keep the code from effects. Use `locals` and "
        "`source`. The user can allow it without this protection: isolation=\"optional\"."
    )


def _write(writer: int, data: bytes) -> None:
    while data:
        data = data[os.write(writer, data) :]


def _cut_off(copy: _Copy) -> None:
    """Gives up everything that the copy shares with the program, and limits what it can use. Raises `NoWall`."""
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
    copy.wall.prepare(copy.program)
    _limit(copy.timeout)
    copy.wall.close()
    kernel.close_all_except(copy.writer)


def _limit(timeout: float) -> None:
    seconds = int(timeout + 2) * (os.cpu_count() or 1)
    # The program can end before it ends its copy.
    # Each descriptor can hold memory of the kernel, which no other limit counts.
    limits = (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_NOFILE, _MOST_FILES),
    )
    for kind, value in limits:
        _, most = resource.getrlimit(kind)
        resource.setrlimit(kind, (value, value) if most == resource.RLIM_INFINITY else (min(value, most),) * 2)
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + _MORE_MEMORY, used + _MORE_MEMORY))
    except (OSError, ValueError):
        pass
