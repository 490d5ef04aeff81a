"""A key that is equal only for equal values."""

from __future__ import annotations

import datetime
import decimal
import types
import uuid
from typing import Any

from . import shape

_PLAIN: tuple[type, ...] = (
    type(None), bool, int, float, complex, str, bytes, datetime.date, datetime.datetime, datetime.time,
    datetime.timedelta, decimal.Decimal, uuid.UUID,
)
# Their parts are not values of a failure.
_CODE: tuple[type, ...] = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType)
MAX_VALUES = 200_000


class NotExact(Exception):
    """A value has parts that nothing can compare, or there are too many."""


def exact_key(value: Any, *, strict: bool = True) -> Any:
    """The value as nested tuples of plain values. Raises `NotExact` for instances of classes, functions and the like.

    `strict=False`: such a value counts by its type and its attributes.
    """
    seen: dict[int, int] = {}

    def read(item: Any) -> Any:
        if type(item) in _PLAIN:
            return (type(item).__name__, repr(item))
        known = seen.get(id(item))
        if known is not None:
            return ("seen", known)
        if len(seen) >= MAX_VALUES:
            raise NotExact
        seen[id(item)] = len(seen)
        if type(item) is dict:
            return ("dict", [(read(key), read(one)) for key, one in shape.first_items(item, MAX_VALUES)])
        if type(item) in (list, tuple):
            return (type(item).__name__, [read(one) for one in shape.first_elements(item, MAX_VALUES)])
        if type(item) in (set, frozenset):
            return ("set", sorted(repr(read(one)) for one in shape.first_elements(item, MAX_VALUES)))
        if strict:
            raise NotExact
        name = shape.type_name(item)
        if type(item) in _CODE:
            return ("code", name, item.__name__)
        if shape.base_of(item, (type,)):
            return ("class", shape.class_name(item))
        return ("object", name, [(key, read(one)) for key, one in shape.attributes(item).items()])

    try:
        return read(value)
    except RecursionError:
        raise NotExact from None
