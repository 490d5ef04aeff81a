"""Evaluation in the memory of the program, in a thread of its own: for full access, and where `fork` is missing.

A loop of Python code stops at the time limit. A call of C code that does not return cannot be interrupted: if it
releases the interpreter lock (`time.sleep`), the answer comes in time and the thread ends with the call; if it holds
the lock (`10**10**9`), all of the program waits for it.
"""

from __future__ import annotations

import asyncio
import ctypes
import threading
import time
import types
from collections.abc import Callable, Coroutine, Generator
from typing import Any

from . import guard, snippet
from .console import Capture, route, subscribe, unsubscribe


_STOPPED = "The time limit passed. The evaluation was stopped."


class TimeLimit(BaseException):
    """Raised inside of evaluated code when its time is over."""


def _interrupt(thread: int) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(TimeLimit))


class _Steps:
    """A coroutine on the loop of the program that can be interrupted only while its own code runs."""

    def __init__(self, inner: Coroutine[Any, Any, Any], capture: Capture) -> None:
        self._inner = inner
        self._capture = capture
        self.lock = threading.Lock()
        self.thread: int | None = None

    def __await__(self) -> Generator[Any, Any, Any]:
        value: Any = None
        failure: BaseException | None = None
        while True:
            with self.lock:
                self.thread = threading.get_ident()
            route(self._capture)
            try:
                if failure is None:
                    step = self._inner.send(value)
                else:
                    step = self._inner.throw(failure)
            except StopIteration as stop:
                return stop.value
            except asyncio.CancelledError:
                raise
            except BaseException as error:
                raise snippet.EvalFailed(snippet.explain(error)) from None
            finally:
                route(None)
                with self.lock:
                    self.thread = None
            try:
                value, failure = (yield step), None
            except BaseException as error:
                value, failure = None, error


class _Run:
    def __init__(self, code: types.CodeType, names: dict[str, Any], loop: asyncio.AbstractEventLoop | None) -> None:
        self.code = code
        self.names = names
        self.loop = loop if loop is not None and loop.is_running() and snippet.is_async(code) else None
        self.answer: dict[str, Any] | None = None
        self.capture = Capture()
        self.program = Capture()
        self.own_loop: asyncio.AbstractEventLoop | None = None
        self.steps: _Steps | None = None
        self.task: Any = None
        self.done = threading.Event()

    def start(self, read_only: bool) -> Callable[[], None]:
        """Returns what interrupts the evaluation."""
        if self.loop is not None:
            steps = self.steps = _Steps(eval(self.code, self.names), self.capture)

            async def on_loop() -> None:
                try:
                    await steps
                    self._finish()
                except BaseException as error:
                    self._fail(error)

            self.task = asyncio.run_coroutine_threadsafe(on_loop(), self.loop)
            return self._interrupt_loop
        thread = threading.Thread(target=self._in_thread, args=(read_only,), daemon=True, name="klendathu-eval")
        thread.start()
        return lambda: self._interrupt_thread(thread.ident or 0)

    def _interrupt_thread(self, thread: int) -> None:
        _interrupt(thread)
        if self.own_loop is not None:
            try:
                # Its wait for events is a call of C code.
                self.own_loop.call_soon_threadsafe(int)
            except RuntimeError:
                pass

    def _on_loop(self, loop: asyncio.AbstractEventLoop) -> None:
        self.own_loop = loop

    def _interrupt_loop(self) -> None:
        assert self.steps is not None
        with self.steps.lock:
            if self.steps.thread is not None:
                _interrupt(self.steps.thread)
                return
        self.task.cancel()

    def _in_thread(self, read_only: bool) -> None:
        try:
            self._execute(read_only)
        except BaseException:
            pass  # A second interrupt during the end of the first.
        finally:
            if self.answer is None:
                self.answer = {"error": _STOPPED}
            self.done.set()

    def _execute(self, read_only: bool) -> None:
        route(self.capture)
        try:
            if read_only:
                with guard.protect_thread():
                    snippet.run(self.code, self.names, self._on_loop)
                    self._finish(calls_code=False)
            else:
                snippet.run(self.code, self.names, self._on_loop)
                self._finish()
        except BaseException as error:
            self._fail(error)
        finally:
            route(None)

    def _finish(self, *, calls_code: bool = True) -> None:
        self.answer = {"result": snippet.describe(self.names.get(snippet.RESULT), calls_code=calls_code)}
        self.done.set()

    def _fail(self, error: BaseException) -> None:
        text = str(error) if isinstance(error, snippet.EvalFailed) else snippet.explain(error)
        if isinstance(error, (TimeLimit, asyncio.CancelledError)) or text.startswith("TimeLimit"):
            text = _STOPPED
        self.answer = {"error": text}
        self.done.set()


def evaluate(
    code: types.CodeType, names: dict[str, Any], timeout: float, *, read_only: bool, loop: Any = None
) -> dict[str, Any]:
    """As `isolate.evaluate`. `loop` is the running event loop of the program, for code with `await`."""
    run = _Run(code, names, loop)
    # What it prints is distinguished from the output of the program as long as there is a subscription.
    subscribe(run.program)
    try:
        return _wait(run, run.start(read_only), timeout)
    finally:
        unsubscribe(run.program)


def _wait(run: _Run, interrupt: Callable[[], None], timeout: float) -> dict[str, Any]:
    if not run.done.wait(timeout):
        last = time.monotonic() + timeout * 0.12
        while not run.done.is_set() and time.monotonic() < last:
            # Again if the code caught it, but not while it ends because of the first.
            interrupt()
            run.done.wait(max(0.02, timeout * 0.03))
    if run.answer is None:
        threading.Thread(target=_insist, args=(run, interrupt), daemon=True, name="klendathu-stop").start()
        raise snippet.EvalFailed(
            "The time limit passed, and the evaluation cannot be interrupted: it is in a call that does not return. "
            "It ends with that call."
        )
    run.answer["console"] = run.capture.since(0)[-200:]
    return run.answer


def _insist(run: _Run, interrupt: Callable[[], None]) -> None:
    """Interrupts an evaluation after its time limit until it ends."""
    while not run.done.wait(0.1):
        interrupt()
