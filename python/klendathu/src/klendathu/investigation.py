"""`investigate`: why did it fail?"""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
import threading
import types
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .errors import KlendathuError
from .inspect.exact import NotExact, exact_key
from .items import split_items
from .launch.options import InvestigateOptions, Options, make_options
from .launch.report import Report, read_report
from .launch.run import Control, Run

if TYPE_CHECKING:
    from .launch.options import Unpack

MAX_SHARED = 100
_shared: dict[str, tuple[Run[Report], list[int]]] = {}
_lock = threading.Lock()


class Investigation(Run[Report]):
    """A report to come. See `Run`."""

    def result(self, timeout: float | None = None) -> Report:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            pass
        else:
            # The loop waits here, so evaluated code cannot use it.
            self._on_block()
        return super().result(timeout)

    def _on_block(self) -> None:
        target = getattr(self, "target", None)
        if target is not None:
            target.loop = None


def investigate(
    error_or_context: BaseException | Mapping[str, Any], **options: Unpack[InvestigateOptions]
) -> Investigation:
    """Asks an agent why an error was raised: `report = await investigate(error)`, or `investigate(error).result()`.

    - `error_or_context`: the error; or the context, whose item `error`, or else its first error, is the error
    - `context`: more items for the agent by name, with `ContextItem` and `ContextCallable` for descriptions
    - `mode`: `live` looks into this process; `frozen` at its state of now; `record` writes a record and asks no model;
      `auto`, the default, is `KLENDATHU_MODE`, else `live`, or `record` if `PYTHON_ENV` is `production`
    - `access`: `read` evaluates in a copy of the process without effects; `full` in the process
    - `isolation`: `required`, the default, refuses evaluation with the access `read` where the kernel cannot keep it from
      effects; `optional` does it without that protection. Without the option: `KLENDATHU_ISOLATION`
    - `eval_timeout`, `timeout`: seconds for one evaluation, default 5, and for everything, default 300
    - `instructions`: more instructions for the agent; `model`: `provider/id`, or a tier
    - `budget`: `{"usd": …, "tokens": …, "turns": …, "evals": …}`
    - `locals`: False keeps the variables of frames from the agent
    - `redact`: values, and patterns for values, that are masked in addition to the built-in rules
    - `dedupe`: an error shares the run and the report of an earlier one with its fingerprint and the same values of the
      context and of the frames; default True. `fingerprint`, the default of the hooks: other values do not matter
    - `cli_path`, `project_root`, `records_folder`: program of the CLI, folder with the sources, folder of records

    Raises nothing itself; the result raises `KlendathuError` only, whose `__cause__` is the error.
    """
    return start(error_or_context, options, sys._getframe(1))


def start(subject: Any, values: Mapping[str, Any], caller: types.FrameType | None) -> Investigation:
    """`investigate` with its options as a mapping. `caller` is the frame that asks."""
    error = _error_of(subject)
    more = values.get("context") or {}
    problem: KlendathuError | None = None
    options = Options()
    target: Any = None
    mode = "live"
    record: str | None = None
    try:
        options = make_options(values)
        mode = options.resolve_mode()
        if not isinstance(subject, (BaseException, Mapping)):
            raise KlendathuError("input", "An error or a mapping is expected.")
        target = _capture(error, subject, more, options=options, caller=caller)
        if mode != "live":
            # Now: later the values may have changed, or the process has ended.
            target, record = _freeze(target, options, mode)
    except KlendathuError as found:
        problem = found

    def work(control: Control) -> Report:
        if problem is not None:
            raise problem
        if record is not None:
            text = f"The failure was recorded. `python -m klendathu investigate {record}` investigates it."
            return Report({"text": text, "evidence": [], "stats": {"turns": 0, "cost": 0}}, record=record)
        return _work(target, options, control, own=own, mode=None if error is None else mode)

    own = Investigation.__new__(Investigation)
    own.target = target  # type: ignore[attr-defined]
    own.__init__(work, subject=error, timeout=options.timeout)  # type: ignore[misc]
    return own


def _error_of(subject: Any) -> BaseException | None:
    if isinstance(subject, BaseException):
        return subject
    if isinstance(subject, Mapping):
        values = split_items(subject)[0]
        candidates = [values.get("error"), *values.values()]
        return next((item for item in candidates if isinstance(item, BaseException)), None)
    return None


def _capture(error: BaseException | None, subject: Any, more: Mapping[str, Any], **rest: Any) -> Any:
    from .inspect.redact import Redactor
    from .mcp.target import Target

    options: Options = rest["options"]
    own: Mapping[str, Any] = subject if isinstance(subject, Mapping) else {"error": subject}
    items, descriptions = split_items({**own, **more})
    redactor = Redactor(options.redact)
    caller: types.FrameType | None = rest["caller"]
    return Target(
        error,
        items,
        descriptions,
        caller=caller,
        redactor=redactor,
        locals=options.locals,
        isolation=options.resolve_isolation(),
        project_root=options.folder,
    )


def _freeze(target: Any, options: Options, mode: str) -> tuple[Any, str | None]:
    from .launch.record import RecordTarget, make_record, write_record

    if mode == "frozen":
        return RecordTarget(make_record(target, options)), None
    try:
        return target, write_record(target, options)
    except OSError as error:
        raise KlendathuError("input", f"The record cannot be written: {error}") from None


def _work(target: Any, options: Options, control: Control, *, own: Run[Report], mode: str | None) -> Report:
    from .launch.agent import run_agent

    for run, count in iter(lambda: _share(target, options, own, mode=mode), None):
        try:
            return Report(run.result(control.remaining()).to_data(), occurrences=count)
        except KlendathuError as error:
            # Only the caller of the earlier run ended it.
            if error.code not in ("cancelled", "timeout"):
                raise
            control.check()
    return read_report(*run_agent(target, options, control))


def _share(target: Any, options: Options, own: Run[Report], *, mode: str | None) -> tuple[Run[Report], int] | None:
    """The run of an earlier failure with this fingerprint, and their number; None: `own` is the first one."""
    if not options.dedupe or mode is None:
        return None
    names = sorted(entry["name"] for entry in target.context)
    try:
        values = None if options.dedupe == "fingerprint" else _digest(target)
    except NotExact:
        return None
    key = json.dumps([target.fingerprint, values, mode, options.access, options.model, options.instructions, names])
    with _lock:
        found = _shared.get(key)
        if found is not None and not (found[0].done() and _failed(found[0])):
            found[1][0] += 1
            return found[0], found[1][0]
        _shared[key] = (own, [1])
        while len(_shared) > MAX_SHARED:
            del _shared[next(iter(_shared))]
    return None


def _digest(target: Any) -> str:
    """Equal for equal values. Raises `NotExact`."""
    from .inspect.frames import raised_in

    if target.exception is None:
        # A record has shown values, not the values themselves.
        raise NotExact
    scopes = [dict(target.values), *(frame.variables for frame in raised_in(target.exception))]
    return hashlib.sha256(repr(exact_key(scopes, strict=False)).encode("utf-8", "backslashreplace")).hexdigest()


def _failed(run: Run[Report]) -> bool:
    return run._future.exception() is not None
