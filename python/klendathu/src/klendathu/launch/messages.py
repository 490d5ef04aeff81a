"""Messages for any number of readers."""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Generic, TypeVar

M = TypeVar("M")


class Messages(Generic[M]):
    """An iterator for `for` and for `async for`. Each reader gets all messages from the first one on. Never raises."""

    def __init__(self) -> None:
        self._sent: list[M] = []
        self._ended = False
        self._changed = threading.Condition()
        self._wakers: list[Callable[[], None]] = []

    def push(self, message: M) -> None:
        """Ignored after `end`."""
        with self._changed:
            if not self._ended:
                self._sent.append(message)
                self._wake()

    def end(self) -> None:
        with self._changed:
            self._ended = True
            self._wake()

    def _wake(self) -> None:
        self._changed.notify_all()
        for waker in self._wakers:
            waker()
        self._wakers.clear()

    def __iter__(self) -> Iterator[M]:
        at = 0
        while True:
            with self._changed:
                while at >= len(self._sent) and not self._ended:
                    self._changed.wait()
                if at >= len(self._sent):
                    return
                message = self._sent[at]
            at += 1
            yield message

    async def __aiter__(self) -> AsyncIterator[M]:
        at = 0
        loop = asyncio.get_running_loop()
        while True:
            event = asyncio.Event()
            with self._changed:
                message: M | None
                if at < len(self._sent):
                    message = self._sent[at]
                elif self._ended:
                    return
                else:
                    self._wakers.append(functools.partial(_wake, loop, event))
                    message = None
            if message is None:
                await event.wait()
                continue
            at += 1
            yield message


def _wake(loop: asyncio.AbstractEventLoop, event: asyncio.Event) -> None:
    try:
        loop.call_soon_threadsafe(event.set)
    except RuntimeError:
        pass  # The loop is closed: its reader has gone.
