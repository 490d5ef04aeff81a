"""Compiles and runs the code of one evaluation."""

from __future__ import annotations

import ast
import asyncio
import inspect
import reprlib
import sys
import traceback
import types
from collections.abc import Callable
from typing import Any

from . import shape
from .preview import preview
from .syntax import check_read_only

RESULT = "__klendathu_result__"
FILE = "<eval>"
MAX_RESULT = 20_000


class EvalFailed(Exception):
    """The evaluation has no result. The message is for the agent."""


def parse(code: str) -> ast.Module:
    """The code with the value of its last expression assigned to `RESULT`. Raises `EvalFailed`."""
    try:
        tree = ast.parse(code, FILE)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError) as error:
        raise EvalFailed(f"{type(error).__name__}: {error}") from None
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        target = ast.copy_location(ast.Name(RESULT, ast.Store()), last)
        tree.body[-1] = ast.copy_location(ast.Assign([target], last.value, lineno=last.lineno), last)
    return tree


def prepare(code: str, *, read_only: bool, strict: bool) -> types.CodeType:
    """Raises `EvalFailed` or `Refused`."""
    tree = parse(code)
    try:
        if read_only:
            check_read_only(tree, strict=strict)
        compiled = compile(tree, FILE, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise EvalFailed(f"{type(error).__name__}: {error}") from None
    assert isinstance(compiled, types.CodeType)
    return compiled


def is_async(code: types.CodeType) -> bool:
    return bool(code.co_flags & inspect.CO_COROUTINE)


def run(
    code: types.CodeType, names: dict[str, Any], on_loop: Callable[[asyncio.AbstractEventLoop], None] | None = None
) -> Any:
    """The value of the last expression. `await` runs on a new event loop, which `on_loop` gets."""

    async def main() -> None:
        if on_loop is not None:
            on_loop(asyncio.get_running_loop())
        await eval(code, names)

    if is_async(code):
        asyncio.run(main())
    else:
        exec(code, names)
    return names.get(RESULT)


class _Repr(reprlib.Repr):
    """`repr` with limits; an object without an own `__repr__` shows its attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 6
        self.maxdict = self.maxlist = self.maxtuple = self.maxset = self.maxfrozenset = self.maxdeque = 100
        self.maxstring = self.maxlong = self.maxother = 4000

    def repr_int(self, x: int, level: int) -> str:
        return preview(x)

    def repr_str(self, x: str, level: int) -> str:
        return repr(x) if len(x) <= self.maxstring else repr(x[: self.maxstring]) + f"… ({len(x)} characters)"

    def repr_instance(self, x: Any, level: int) -> str:
        own: Any = type(x).__repr__
        if own is object.__repr__:
            return preview(x, 1000)
        if shape.base_of(x, (str, bytes, bytearray, int)):
            return preview(x, self.maxstring)
        return super().repr_instance(x, level)


def describe(value: Any, *, calls_code: bool) -> str:
    """At most `MAX_RESULT` characters. `calls_code` allows the `__repr__` of classes of the program."""
    if calls_code:
        try:
            return _Repr().repr(value)[:MAX_RESULT]
        except Exception:
            pass
    return preview(value, MAX_RESULT)


def explain(error: BaseException) -> str:
    """The exception of evaluated code with the lines of the snippet."""
    try:
        lines = [f"line {step.lineno}" for step in traceback.extract_tb(error.__traceback__) if step.filename == FILE]
        place = f" ({lines[-1]})" if lines else ""
        return f"{shape.type_name(error)}: {str(error)[:4000]}{place}"
    except BaseException:
        return f"{shape.type_name(error)} without a readable message"


def builtin_names() -> dict[str, Any]:
    return {"__builtins__": sys.modules["builtins"], "__name__": "__eval__", "__doc__": None}
