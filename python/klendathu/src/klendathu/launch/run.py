"""A report or a result to come."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
import time
from collections.abc import Callable, Generator
from typing import Any, Generic, TypeVar

from .._wire import FailureCode, StatusMessage
from ..errors import KlendathuError
from .messages import Messages
from .report import Stats, failed_stats, to_stats

T = TypeVar("T")


class Pending(Generic[T]):
    """A value that a thread computes: `await` it, or call `result()` where there is no event loop."""

    def __init__(self) -> None:
        self._future: concurrent.futures.Future[T] = concurrent.futures.Future()
        # From now on only the run ends the future.
        self._future.set_running_or_notify_cancel()
        self._settle = threading.Lock()

    def __await__(self) -> Generator[Any, None, T]:
        return asyncio.wrap_future(self._future).__await__()

    def done(self) -> bool:
        return self._future.done()

    def result(self, timeout: float | None = None) -> T:
        """Waits at most `timeout` seconds; default: until the end. Raises `TimeoutError` when they have passed."""
        try:
            return self._future.result(timeout)
        except concurrent.futures.TimeoutError:
            if self._future.done():
                raise
            raise TimeoutError(f"no result after {timeout} seconds") from None

    def resolve(self, value: T | None = None, error: BaseException | None = None) -> None:
        """The first call counts."""
        with self._settle:
            if self._future.done():
                return
            if error is not None:
                self._future.set_exception(error)
            else:
                self._future.set_result(value)  # type: ignore[arg-type]


class Control:
    """What the work of a run gets: it reports messages, and learns of a stop."""

    def __init__(self, timeout: float) -> None:
        self.stderr: Messages[StatusMessage] = Messages()
        self.events: Messages[dict[str, Any]] = Messages()
        self.stats: Stats | None = None
        self.reason: KlendathuError | None = None
        self._end = time.monotonic() + timeout
        self._stops: list[Callable[[], None]] = []
        self._lock = threading.Lock()

    def remaining(self) -> float:
        """Seconds until the time-out."""
        return max(0.001, self._end - time.monotonic())

    def status(self, message: StatusMessage) -> None:
        if message["type"] == "summary":
            self.stats = to_stats(message)
        self.stderr.push(message)

    def event(self, event: dict[str, Any]) -> None:
        self.events.push(event)

    def on_stop(self, stop: Callable[[], None]) -> None:
        """Calls `stop` when the run is cancelled or its time is over; at once if it already is."""
        with self._lock:
            self._stops.append(stop)
            stopped = self.reason is not None
        if stopped:
            stop()

    def stop(self, reason: KlendathuError) -> None:
        with self._lock:
            if self.reason is not None:
                return
            self.reason = reason
            stops = list(self._stops)
        for each in stops:
            each()

    def check(self) -> None:
        """Raises the reason of a stop."""
        if self.reason is not None:
            raise self.reason


class Run(Pending[T]):
    """`await run`, or `run.result()`. Ends at the time-out at the latest, with a `KlendathuError` or the value.

    - `stderr`: status messages, for `for` and `async for`; any number of readers, each gets all of them
    - `events`: events of the log of the session, in the same way
    - `summary`: statistics; `await run.summary` and `run.summary.result()` never raise
    - `cancel()`: ends the run with the code `cancelled`
    """

    def __init__(
        self, work: Callable[[Control], T], *, subject: BaseException | None, timeout: float, name: str = "klendathu"
    ) -> None:
        super().__init__()
        self._subject = subject
        self._control = Control(timeout)
        self.stderr = self._control.stderr
        self.events = self._control.events
        self.summary: Pending[Stats] = Pending()
        self._thread_of_loop: int | None = None
        message = f"There was no result after {timeout:g} seconds."
        self._timer = threading.Timer(min(timeout, threading.TIMEOUT_MAX), self._stop, ("timeout", message))
        self._timer.daemon = True
        self._timer.start()
        threading.Thread(target=self._work, args=(work,), daemon=True, name=name).start()

    def __await__(self) -> Generator[Any, None, T]:
        return self._wait().__await__()

    async def _wait(self) -> T:
        try:
            return await asyncio.wrap_future(self._future)
        except asyncio.CancelledError:
            self.cancel()
            raise

    def cancel(self) -> None:
        """No effect after the end."""
        self._stop("cancelled", "The run was cancelled.")

    def _stop(self, code: FailureCode, message: str) -> None:
        if self.done():
            return
        error = self._own(KlendathuError(code, message))
        self.resolve(error=error)
        self._control.stop(error)

    def _own(self, error: BaseException) -> KlendathuError:
        if not isinstance(error, KlendathuError):
            cause = error
            error = KlendathuError("server", f"The run failed: {type(error).__name__}: {error}")
            error.__cause__ = cause
        if self._subject is not None:
            error.__cause__ = self._subject
        return error

    def _work(self, work: Callable[[Control], T]) -> None:
        failure: KlendathuError | None = None
        try:
            self._control.check()
            self.resolve(work(self._control))
        except BaseException as error:
            failure = self._own(error)
            self.resolve(error=failure)
        finally:
            self._timer.cancel()
            self._control.stderr.end()
            self._control.events.end()
            self.summary.resolve(self._control.stats or failed_stats(failure))
