"""Investigates errors that no code of the program handles."""

from __future__ import annotations

import functools
import inspect
import sys
import threading
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

from .errors import KlendathuError
from .investigation import Investigation, start
from .launch.options import InvestigateOptions
from .launch.report import Report

if TYPE_CHECKING:
    from .launch.options import Unpack

F = TypeVar("F", bound=Callable[..., Any])
OnReport = Callable[[Report], None]
# Errors that an inner hook has handled already.
_HANDLED = "__klendathu_handled__"


def print_outcome(run: Investigation) -> Report | None:
    """Waits for the report, and prints it or one line about the failure. Never raises."""
    try:
        report = run.result()
    except KlendathuError as error:
        _print(f"klendathu: {error}")
        return None
    _print(f"\nklendathu:\n{report}")
    return report


def _print(text: str) -> None:
    try:
        print(text, file=sys.__stderr__ or sys.stderr, flush=True)
    except (OSError, ValueError):
        pass


def _is_failure(error: BaseException | None) -> bool:
    return isinstance(error, Exception) and not isinstance(error, (StopIteration, StopAsyncIteration))


def _begin(error: BaseException, options: InvestigateOptions, caller: types.FrameType | None) -> Investigation | None:
    if not _is_failure(error) or getattr(error, _HANDLED, False):
        return None
    try:
        setattr(error, _HANDLED, True)
    except Exception:
        pass
    return start(error, {"dedupe": "fingerprint", **options}, caller)


def _end(run: Investigation, on_report: OnReport | None) -> None:
    if on_report is None:
        print_outcome(run)
        return
    try:
        on_report(run.result())
    except KlendathuError as error:
        _print(f"klendathu: {error}")


async def _end_async(run: Investigation, on_report: OnReport | None) -> None:
    try:
        report = await run
    except KlendathuError as error:
        _print(f"klendathu: {error}")
        return
    if on_report is None:
        _print(f"\nklendathu:\n{report}")
    else:
        on_report(report)


def install(*, uncaught: bool = True, threads: bool = True, **options: Unpack[InvestigateOptions]) -> Callable[[], None]:
    """Investigates errors that end the program (`uncaught`) or a thread, after the usual traceback is printed.

    The exit code stays that of the undisturbed program. Options are those of `investigate`. Returns a function that
    restores the former hooks.
    """
    # Now: a failing program may have no memory or descriptor left, and its copies import nothing.
    from .inspect.wall import wall as _  # noqa: F401

    former, former_thread = sys.excepthook, threading.excepthook

    def on_error(kind: type[BaseException], error: BaseException, traceback: types.TracebackType | None) -> None:
        former(kind, error, traceback)
        run = _begin(error, options, None)
        if run is not None:
            print_outcome(run)

    def on_thread(arguments: threading.ExceptHookArgs) -> None:
        former_thread(arguments)
        run = None if arguments.exc_value is None else _begin(arguments.exc_value, options, None)
        if run is not None:
            print_outcome(run)

    if uncaught:
        sys.excepthook = on_error
    if threads:
        threading.excepthook = on_thread

    def uninstall() -> None:
        if sys.excepthook is on_error:
            sys.excepthook = former
        if threading.excepthook is on_thread:
            threading.excepthook = former_thread

    return uninstall


class investigating:
    """`with investigating():` or `async with investigating():`. The error continues after the report.

    `on_report` gets the report; default: it is printed on standard error. Other options are those of `investigate`.
    """

    def __init__(self, *, on_report: OnReport | None = None, **options: Unpack[InvestigateOptions]) -> None:
        self._on_report = on_report
        self._options = options

    def __enter__(self) -> investigating:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, traceback: Any) -> None:
        run = None if error is None else _begin(error, self._options, sys._getframe(1))
        if run is not None:
            _end(run, self._on_report)

    async def __aenter__(self) -> investigating:
        return self

    async def __aexit__(self, kind: Any, error: BaseException | None, traceback: Any) -> None:
        run = None if error is None else _begin(error, self._options, sys._getframe(1))
        if run is not None:
            await _end_async(run, self._on_report)


@overload
def watch(function: F) -> F: ...
@overload
def watch(
    function: None = None, *, on_report: OnReport | None = None, **options: Unpack[InvestigateOptions]
) -> Callable[[F], F]: ...
def watch(function: Any = None, *, on_report: OnReport | None = None, **options: Unpack[InvestigateOptions]) -> Any:
    """`@watch`, or `@watch(timeout=60)`: investigates what the function raises, and raises it again.

    For functions, coroutine functions, generators and asynchronous generators.
    """
    if function is None:
        return lambda inner: watch(inner, on_report=on_report, **options)
    return cast(Any, _wrap(function, on_report, options))


def _wrap(function: Any, on_report: OnReport | None, options: InvestigateOptions) -> Any:
    def guard() -> investigating:
        return investigating(on_report=on_report, **options)

    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def run_async(*args: Any, **kwargs: Any) -> Any:
            async with guard():
                return await function(*args, **kwargs)

        return run_async
    if inspect.isasyncgenfunction(function):

        @functools.wraps(function)
        async def run_async_generator(*args: Any, **kwargs: Any) -> Any:
            async with guard():
                async for item in function(*args, **kwargs):
                    yield item

        return run_async_generator
    if inspect.isgeneratorfunction(function):

        @functools.wraps(function)
        def run_generator(*args: Any, **kwargs: Any) -> Any:
            with guard():
                return (yield from function(*args, **kwargs))

        return run_generator

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        with guard():
            return function(*args, **kwargs)

    return run
