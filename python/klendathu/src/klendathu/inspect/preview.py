"""One line about a value, without running code of the program."""

from __future__ import annotations

import datetime
import decimal
import enum
import fractions
import pathlib
import types
import uuid
from typing import Any

from . import shape

LIMIT = 200
_TEXT = (str, bytes, bytearray)
_NUMBERS = (int, float, complex)
# Types whose `repr` runs no code of the program.
_EXACT = (
    decimal.Decimal,
    fractions.Fraction,
    uuid.UUID,
    pathlib.PurePosixPath,
    pathlib.PureWindowsPath,
    type(pathlib.Path()),
    datetime.date,
    datetime.timedelta,
    range,
    type(None),
    type(NotImplemented),
    type(...),
)
_ZONES: tuple[type, ...] = (type(None), datetime.timezone)


def cut(text: str, limit: int = LIMIT) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def preview(value: Any, limit: int = LIMIT) -> str:
    """A short text such as `[1, 2, …]` or `User(name='Ann')`, at most `limit` characters."""
    return cut(_show(value, limit, 2), limit)


def _number(value: Any, base: Any) -> str:
    if type(value) is bool:
        return "True" if value else "False"
    if base is int and int.bit_length(value) > 2000:
        return f"<int of {int.bit_length(value)} bits>"
    return str(base.__repr__(value))


def _text(value: Any, base: Any, limit: int) -> str:
    part = base.__getitem__(value, slice(0, limit))
    more = base.__len__(value) > limit
    return repr(str.__str__(part) if base is str else bytes(part)) + ("…" if more else "")


def _show(value: Any, limit: int, depth: int) -> str:
    kind = type(value)
    if any(kind is exact for exact in _EXACT):
        return cut(repr(value), limit)
    if kind is datetime.datetime or kind is datetime.time:
        zone = kind.__dict__["tzinfo"].__get__(value)
        return repr(value) if any(type(zone) is known for known in _ZONES) else f"<{kind.__name__}>"
    base = shape.base_of(value, _TEXT)
    if base:
        return _text(value, base, limit)
    if shape.base_of(value, (enum.Enum,)):
        return f"{shape.type_name(value)}.{_show(shape.attributes(value).get('_name_'), 60, 1).strip(chr(39))}"
    base = shape.base_of(value, _NUMBERS)
    if base:
        return _number(value, base)
    if shape.base_of(value, (type,)):
        return f"<class {shape.class_name(value)}>"
    if shape.base_of(value, (BaseException,)):
        return f"{shape.type_name(value)}({_join(shape.exception_args(value), limit, depth)})"
    known = _callable(value)
    if known:
        return known
    if depth == 0:
        return f"<{shape.type_name(value)}>"
    return _container(value, limit, depth)


def _join(values: Any, limit: int, depth: int) -> str:
    parts: list[str] = []
    used = 0
    for value in values:
        part = _show(value, min(80, limit), depth - 1)
        used += len(part) + 2
        parts.append(part)
        if used > limit:
            break
    return ", ".join(parts)


def _container(value: Any, limit: int, depth: int) -> str:
    size = shape.size_of(value)
    if shape.base_of(value, (dict,)):
        items = shape.first_items(value, 12)
        text = ", ".join(f"{_show(k, 40, 0)}: {_show(v, 60, depth - 1)}" for k, v in items)
        return "{" + text + (", …" if size and size > len(items) else "") + "}"
    base = shape.base_of(value, shape.LISTS + shape.SETS)
    if base:
        elements = shape.first_elements(value, 30)
        text = _join(elements, limit, depth) + (", …" if size and size > len(elements) else "")
        opening, closing = ("(", ")") if base is tuple else ("{", "}") if base in shape.SETS else ("[", "]")
        name = "" if type(value) is base else shape.type_name(value)
        return f"{name}{opening}{text}{closing}"
    found = shape.attributes(value)
    if not found:
        return f"<{shape.type_name(value)}>"
    shown = [f"{name}={_show(item, 60, depth - 1)}" for name, item in list(found.items())[:12]]
    return f"{shape.type_name(value)}({', '.join(shown)}{', …' if len(found) > 12 else ''})"


_module_names: Any = type.__getattribute__(types.ModuleType, "__dict__")["__dict__"].__get__
_FUNCTIONS: dict[type, str] = {
    types.FunctionType: "function",
    types.BuiltinFunctionType: "built-in function",
    types.ModuleType: "module",
    types.CoroutineType: "coroutine",
    types.GeneratorType: "generator",
    types.AsyncGeneratorType: "async generator",
}


def _callable(value: Any) -> str | None:
    kind = type(value)
    if kind is types.MethodType:
        return f"<method {_name(value.__func__)}>"
    word = _FUNCTIONS.get(kind)
    return None if word is None else f"<{word} {_name(value)}>"


def _name(value: Any) -> str:
    # Only reached with functions and modules, or with the function of a method, which can be any object.
    if type(value) is types.ModuleType:
        name = _module_names(value).get("__name__")
    elif type(value) in _FUNCTIONS:
        name = value.__qualname__
    else:
        name = None
    return str.__str__(name) if type(name) is str else shape.type_name(value)
