"""What an agent can look at: frames, variables, items of the context, printed text."""

from __future__ import annotations

import asyncio
import linecache
import os
import sys
import threading
import types
from collections.abc import Mapping
from typing import Any

from .._wire import ConsoleEntry, ContextEntry, ErrorSummary, StackFrame, ValueNode
from ..inspect import console, frames, in_thread, isolate, shape, snippet, tree
from ..inspect.redact import Redactor
from ..inspect.syntax import Refused
from ..inspect.wall.reads import Reads
from ..inspect.wall.wall import NoWall, Wall, open_wall

MAX_PRINTED = 40_000


class Target:
    """References to the variables of a failure. The values stay in the process.

    `isolated` is False to evaluate read-only code in the memory of the program, without a copy of the process.
    `isolation` is `optional` to evaluate it also where the kernel cannot keep it from effects.
    """

    def __init__(
        self,
        error: BaseException | None,
        context: Mapping[str, Any],
        descriptions: Mapping[str, str],
        *,
        caller: types.FrameType | None = None,
        redactor: Redactor | None = None,
        locals: bool = True,
        isolated: bool = isolate.CAN_FORK,
        isolation: str = "required",
        project_root: str | None = None,
    ) -> None:
        self.redactor = redactor or Redactor()
        self.exception = error
        self._items = dict(context)
        self._descriptions = descriptions
        self._isolated = isolated
        self._isolation = isolation
        self._root = project_root or os.getcwd()
        self.frames = frames.capture(error, caller)
        self._keeps_locals = locals
        if not locals:
            for frame in self.frames:
                frame.variables = {}
                frame.wire["hasLocals"] = False
        user = [frame.variables for frame in self.frames if frame.wire.get("isUser")]
        self.redactor.learn_from([self._items, *user])
        self.console = console.Capture()
        self.loop: asyncio.AbstractEventLoop | None = None
        try:
            self.loop = asyncio.get_running_loop()
        except RuntimeError:
            pass
        self._lock = threading.Lock()

    @property
    def values(self) -> Mapping[str, Any]:
        """The items by name. Live references."""
        return self._items

    @property
    def call_stack(self) -> list[StackFrame]:
        return [frame.wire for frame in self.frames]

    @property
    def context(self) -> list[ContextEntry]:
        entries: list[ContextEntry] = []
        for name, value in self._items.items():
            entry: ContextEntry = {"name": name, "type": shape.type_name(value)}
            if name in self._descriptions:
                entry["description"] = self.redactor.mask(self._descriptions[name])
            entries.append(entry)
        return entries

    @property
    def context_values(self) -> list[ValueNode]:
        return tree.nodes(self._items.items(), self.redactor.mask_named, 4)

    @property
    def summary(self) -> ErrorSummary | None:
        return None if self.exception is None else frames.summarize(self.exception, self.redactor)

    @property
    def fingerprint(self) -> str:
        return frames.fingerprint(self.exception, self.frames)

    def _frame(self, index: int) -> frames.Frame:
        if not 0 <= index < len(self.frames):
            raise LookupError(f"no frame {index}: there are {len(self.frames)}")
        return self.frames[index]

    def locals(self, index: int, path: str | None = None, depth: int = 2) -> list[ValueNode]:
        """The variables of a frame, or one part of them. Raises `LookupError`."""
        variables = self._frame(index).variables
        if path is None:
            shown = [(name, value) for name, value in variables.items() if not _is_noise(name, value)]
            return tree.nodes(shown, self.redactor.mask_named, depth)
        value = tree.find(variables, path)
        name = path.rsplit(".", 1)[-1] if not path.endswith("]") else path[path.rindex("[") + 1 : -1]
        mask = self.redactor.mask_named
        return [tree.Tree(mask).node(name, value, path=path, depth=depth)]

    def source(self, file: str, line: int, around: int = 10) -> tuple[str, int, str]:
        """File, number of the first line, and lines. Raises `LookupError`."""
        path = file if file.startswith("<") else os.path.abspath(file)
        names = next((f.globals for f in self.frames if f.wire["filePath"] == path), None)
        if names is None and not (path.endswith((".py", ".pyi", ".pyx")) and Reads(self._root).allows(path)):
            raise LookupError(f"{file} is not a source file of the program")
        lines = linecache.getlines(path, names)
        if not lines:
            raise LookupError(f"no source of {file}")
        first = max(1, min(line, len(lines)) - around)
        return path, first, self.redactor.mask("".join(lines[first - 1 : line + around]))

    def evaluate(self, code: str, *, frame: int | None, read_only: bool, timeout: float) -> dict[str, Any]:
        """`{"result": …, "console": …}`. Raises `EvalFailed`, `Refused` and `LookupError`."""
        names = self._names(frame)
        isolated = read_only and self._isolated
        wall = self._open_wall() if isolated else None
        if read_only and not isolated and self._isolation != "optional":
            raise snippet.EvalFailed(isolate.refusal(NoWall("this system has no safe copy of a process")))
        compiled = snippet.prepare(code, read_only=read_only, strict=not isolated)
        if wall is not None:
            answer = isolate.evaluate(compiled, names, timeout, wall=wall)
        else:
            answer = in_thread.evaluate(compiled, names, timeout, read_only=read_only, loop=self.loop)
        entries = self._masked(answer["console"])
        if "error" in answer:
            printed = "".join(f"\n[{entry['level']}] {entry['text']}" for entry in entries)
            raise snippet.EvalFailed(self.redactor.mask(str(answer["error"])) + printed[:4000])
        return {"result": self.redactor.mask(str(answer["result"])), "console": entries}

    def _open_wall(self) -> Wall:
        """Raises `EvalFailed` if there is none, and one is required."""
        with self._lock:
            wall = open_wall(self._root, is_required=self._isolation != "optional")
        try:
            wall.check()
        except NoWall as missing:
            raise snippet.EvalFailed(isolate.refusal(missing)) from None
        return wall

    def _masked(self, printed: Any) -> list[ConsoleEntry]:
        """The last lines, at most 40,000 characters."""
        kept: list[ConsoleEntry] = []
        left = MAX_PRINTED
        for entry in reversed(printed):
            if left > 0:
                text = self.redactor.mask(entry["text"][:left])
                kept.append({"seq": entry["seq"], "level": entry["level"], "text": text})
                left -= len(entry["text"])
        return kept[::-1]

    def _names(self, frame: int | None) -> dict[str, Any]:
        """New names for one evaluation: globals of the module, variables of the frame, items of the context."""
        chosen = self._frame(frame) if frame is not None else next(iter(self.frames), None)
        names = dict(chosen.globals) if chosen is not None else dict(sys.modules["__main__"].__dict__)
        names.update(snippet.builtin_names())
        names["context"] = dict(self._items)
        names.update({name: value for name, value in self._items.items() if name.isidentifier()})
        if frame is not None and chosen is not None:
            names.update(chosen.variables)
        if self.exception is not None:
            names.setdefault("error", self.exception)
        return names


def _is_noise(name: str, value: Any) -> bool:
    # Imported modules, and what the assertions of pytest add.
    return name.startswith(("@py_", "__")) or type(value) is types.ModuleType


__all__ = ["Refused", "Target"]
