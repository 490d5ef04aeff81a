"""The frames of an error with their variables."""

from __future__ import annotations

import asyncio
import glob
import hashlib
import os
import re
import site
import sys
import sysconfig
import traceback
import types
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from .._wire import ErrorSummary, StackFrame
from . import shape
from .preview import cut
from .redact import Redactor

MAX_FRAMES = 200
_ASSERTIONS = re.compile(r"[\\/](?:unittest[\\/](?:case|mock|async_case)\.py|numpy[\\/]testing[\\/].*|pandas[\\/]_testing[\\/].*|django[\\/]test[\\/]testcases\.py)$")
_CO_ASYNC = 0x80 | 0x200
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def _library_folders() -> tuple[str, ...]:
    paths = [sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    paths.extend(getattr(site, "getsitepackages", list)())
    # Folders of `pip install --target`.
    paths.extend(path for path in sys.path if path and path != os.getcwd() and glob.glob(f"{path}/*.dist-info"))
    return tuple({os.path.realpath(path) + os.sep for path in paths} | {path + os.sep for path in paths})


_LIBRARY = _library_folders()


def is_user_file(path: str) -> bool:
    """True for code of the project: not of the runtime and not of an installed package."""
    if path.startswith("<frozen") or "site-packages" in path or "dist-packages" in path:
        return False
    return not path.startswith((_PACKAGE, *_LIBRARY))


@dataclass
class Frame:
    """A frame with references to its variables as they were when it was captured."""

    wire: StackFrame
    variables: dict[str, Any] = field(repr=False)
    globals: dict[str, Any] = field(repr=False)


def _to_frame(frame: types.FrameType, line: int | None, *, is_async: bool = False) -> Frame:
    code = frame.f_code
    name = getattr(code, "co_qualname", code.co_name)
    path = code.co_filename
    if not path.startswith("<"):
        path = os.path.abspath(path)
    wire: StackFrame = {"filePath": path, "functionName": name, "isUser": is_user_file(path), "hasLocals": True}
    if line:
        wire["line"] = line
    if is_async:
        wire["isAsync"] = True
    variables = dict(frame.f_locals)
    if variables and frame.f_globals is frame.f_locals:
        variables = {key: value for key, value in variables.items() if not key.startswith("__")}
    return Frame(wire, variables, frame.f_globals)


def _is_own(frame: types.FrameType) -> bool:
    return frame.f_code.co_filename.startswith(_PACKAGE)


def _of_traceback(start: types.TracebackType | None) -> list[Frame]:
    steps: list[types.TracebackType] = []
    while start is not None and len(steps) < 2000:
        steps.append(start)
        start = start.tb_next
    found: list[Frame] = []
    for index, step in enumerate(reversed(steps)):
        if _is_own(step.tb_frame):
            continue
        is_async = index > 0 and bool(step.tb_frame.f_code.co_flags & _CO_ASYNC)
        found.append(_to_frame(step.tb_frame, step.tb_lineno, is_async=is_async))
    return found


def raised_in(error: BaseException) -> list[Frame]:
    """The frames of the project through which the error went, without their callers."""
    return [frame for frame in _of_traceback(error.__traceback__) if frame.wire.get("isUser")]


def _without_assertions(frames: list[Frame]) -> list[Frame]:
    """The first frame is that of the assertion in the test, not of the library that compares."""
    first = next((index for index, frame in enumerate(frames) if not _ASSERTIONS.search(frame.wire["filePath"])), 0)
    return frames[first:]


def _callers(frame: types.FrameType | None) -> Iterator[Frame]:
    while frame is not None:
        if not _is_own(frame) and is_user_file(frame.f_code.co_filename):
            yield _to_frame(frame, frame.f_lineno, is_async=bool(frame.f_code.co_flags & _CO_ASYNC))
        frame = frame.f_back


def _waiting_tasks() -> Iterator[Frame]:
    """The tasks that wait for the current one, and those that wait for them."""
    try:
        current: Any = asyncio.current_task()
        tasks = asyncio.all_tasks()
    except RuntimeError:
        return
    for _ in range(20):
        awaiter = next((task for task in tasks if _waits_for(task, current)), None)
        if awaiter is None:
            return
        frames: list[Frame] = []
        step: Any = awaiter.get_coro()
        while step is not None and getattr(step, "cr_frame", None) is not None:
            frames.append(_to_frame(step.cr_frame, step.cr_frame.f_lineno, is_async=True))
            step = step.cr_await
        yield from reversed(frames)
        current = awaiter


def _waits_for(task: Any, awaited: Any) -> bool:
    waiter = getattr(task, "_fut_waiter", None)
    return awaited is not None and (waiter is awaited or awaited in getattr(waiter, "_children", ()))


def chain_of(error: BaseException) -> list[BaseException]:
    """The error, its causes, and the errors of a group; each once, at most 10."""
    found: list[BaseException] = []
    queue: list[BaseException | None] = [error]
    while queue and len(found) < 10:
        item = queue.pop(0)
        if item is None or any(item is other for other in found):
            continue
        found.append(item)
        members = shape.attributes(item).get("exceptions") or getattr(type(item), "exceptions", None)
        if isinstance(members, types.MemberDescriptorType):
            queue.extend(members.__get__(item))
        queue.append(item.__cause__ or (None if item.__suppress_context__ else item.__context__))
    return found


def capture(error: BaseException | None, caller: types.FrameType | None) -> list[Frame]:
    """Frames of the error, innermost first; then its callers outside of the traceback, waiting tasks, and its causes.

    `caller` is the frame that started the investigation.
    """
    found: list[Frame] = []
    if error is not None:
        found.extend(_without_assertions(_of_traceback(error.__traceback__)))
    known = {id(frame.globals) ^ hash((frame.wire["filePath"], frame.wire.get("functionName"))) for frame in found}
    for frame in [*_callers(caller), *_waiting_tasks()]:
        key = id(frame.globals) ^ hash((frame.wire["filePath"], frame.wire.get("functionName")))
        if key not in known:
            known.add(key)
            found.append(frame)
    for cause in chain_of(error)[1:] if error is not None else []:
        found.extend(_of_traceback(cause.__traceback__))
    return found[:MAX_FRAMES]


def message_of(error: BaseException) -> str:
    """The message without calling `__str__` of a class of the program."""
    kind = type(error)
    if kind.__module__ == "builtins" or kind.__str__ is BaseException.__str__ or kind.__str__ is Exception.__str__:
        args = shape.exception_args(error)
        if all(shape.base_of(arg, (str, int, float, bytes, type(None))) or isinstance(arg, OSError) for arg in args):
            return cut(BaseException.__str__(error) if kind.__module__ != "builtins" else str(error), 10_000)
    try:
        return cut(str(error), 10_000)
    except BaseException:  # A hostile `__str__` must not end the host.
        return f"<{kind.__name__} without a readable message>"


def summarize(error: BaseException, redactor: Redactor) -> ErrorSummary:
    """The error and its causes without live references."""
    summary: ErrorSummary | None = None
    chain: list[BaseException] = []
    step: BaseException | None = error
    while step is not None and len(chain) < 10 and not any(step is other for other in chain):
        chain.append(step)
        step = step.__cause__ or (None if step.__suppress_context__ else step.__context__)
    for item in reversed(chain):
        inner: ErrorSummary = {
            "name": shape.type_name(item),
            "message": redactor.mask(message_of(item)),
            "stack": redactor.mask(_stack(item)),
        }
        code = getattr(item, "errno", None) if isinstance(item, OSError) else None
        if isinstance(code, int):
            inner["code"] = str(code)
        if summary is not None:
            inner["cause"] = summary
        summary = inner
    assert summary is not None
    return summary


def _stack(error: BaseException) -> str:
    lines = traceback.format_list(traceback.extract_tb(error.__traceback__, limit=-50))
    return f"Traceback (most recent call last):\n{''.join(lines)}{shape.type_name(error)}: {message_of(error)}"


def fingerprint(error: BaseException | None, frames: Iterable[Frame]) -> str:
    """16 hexadecimal digits: equal for errors of the same type with the same shape of message and the same functions."""
    listed = list(frames)
    user = [frame for frame in listed if frame.wire.get("isUser")] or listed
    places = [f"{_relative(f.wire['filePath'])}#{f.wire.get('functionName', '')}" for f in user[:5]]
    message = "" if error is None else _message_shape(message_of(error)[:1000])
    parts = ["" if error is None else shape.type_name(error), "", message, *places]
    return hashlib.sha256("\n".join(parts).encode("utf-8", "replace")).hexdigest()[:16]


def _relative(path: str) -> str:
    try:
        relative = os.path.relpath(path)
    except (ValueError, OSError):
        return os.path.basename(path)
    return os.path.basename(path) if relative.startswith("..") else relative


def _message_shape(message: str) -> str:
    message = re.sub(r"([\"'`]).*?\1", '""', message)
    message = re.sub(r"(?:[a-z]+://|\.{0,2}/)[^\s:,)]+", "PATH", message, flags=re.IGNORECASE)
    message = re.sub(r"\b[\da-f]{8,}(?:-[\da-f]{4,})*\b", "ID", message, flags=re.IGNORECASE)
    return re.sub(r"\d+", "0", message)
