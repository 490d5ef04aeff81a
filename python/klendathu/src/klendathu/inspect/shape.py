"""Reads values without running code of the program: no `__repr__`, property, `__getattr__` or metaclass is called."""

from __future__ import annotations

import collections
import itertools
import types
from collections.abc import Iterable
from typing import Any

_mro = type.__dict__["__mro__"].__get__
_type_dict = type.__dict__["__dict__"].__get__
_type_name = type.__dict__["__name__"].__get__
_args = BaseException.__dict__["args"].__get__

LISTS: tuple[type, ...] = (list, tuple, collections.deque)
SETS: tuple[type, ...] = (set, frozenset)


def base_of(value: object, bases: tuple[type, ...]) -> Any:
    """The first of `bases` that the type of the value derives from; None without one."""
    for kind in _mro(type(value)):
        for base in bases:
            if kind is base:
                return base
    return None


def type_name(value: object) -> str:
    """The name of the class."""
    return class_name(type(value))


def class_name(kind: type) -> str:
    name = _type_name(kind)
    return str.__str__(name) if type(name) is str else "?"


def exception_args(error: BaseException) -> tuple[Any, ...]:
    args = _args(error)
    return args if type(args) is tuple else ()


def attributes(value: object) -> dict[str, Any]:
    """The attributes that the object stores itself, in its `__dict__` and in slots."""
    found: dict[str, Any] = {}
    for kind in _mro(type(value)):
        members = _type_dict(kind)
        for name in list(members):
            if type(name) is not str:
                continue
            member = members[name]
            if name == "__dict__" and type(member) is types.GetSetDescriptorType:
                stored = member.__get__(value)
                if base_of(stored, (dict,)):
                    for key, item in first_items(stored, 1000):
                        if type(key) is str:
                            found.setdefault(key, item)
            elif type(member) is types.MemberDescriptorType and name not in ("__weakref__", "__dict__"):
                if kind.__module__ in _NATIVE:
                    continue
                try:
                    found.setdefault(name, member.__get__(value))
                except AttributeError:
                    continue
    return found


# Slots of the interpreter's own types are not variables of the program.
_NATIVE = ("builtins", "types", "functools", "_thread", "_io", "_asyncio")


def first_items(value: Any, limit: int) -> list[tuple[Any, Any]]:
    """The first entries of a dict. Another thread may change it at the same time."""
    for _ in range(5):
        try:
            return list(itertools.islice(dict.items(value), limit))
        except RuntimeError:
            continue
    return []


def first_elements(value: Any, limit: int) -> list[Any]:
    """The first elements of a list, tuple, deque or set, or of a class that derives from one."""
    base: Any = base_of(value, LISTS + SETS)
    if base is list or base is tuple:
        length = base.__len__(value)
        return [base.__getitem__(value, index) for index in range(min(length, limit)) if index < base.__len__(value)]
    for _ in range(5):
        try:
            iterator: Iterable[Any] = base.__iter__(value)
            return list(itertools.islice(iterator, limit))
        except RuntimeError:
            continue
    return []


def size_of(value: Any) -> int | None:
    """The number of elements, entries or characters."""
    base: Any = base_of(value, (*LISTS, *SETS, dict, str, bytes, bytearray))
    return None if base is None else int(base.__len__(value))
