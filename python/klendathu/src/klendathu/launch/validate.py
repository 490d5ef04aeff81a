"""Checks values against the common subset of JSON Schema.

Known: type, enum, const, properties, required, additionalProperties, items, prefixItems, minItems, maxItems, uniqueItems,
minLength, maxLength, pattern, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, anyOf, oneOf, allOf,
not, local `$ref`. Other keywords are ignored.
"""

from __future__ import annotations

import json
import re
from typing import Any

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "null": (type(None),),
}
MAX_PROBLEMS = 20


def problems(value: Any, schema: Any) -> list[str]:
    """The reasons why the value does not match, each with its place; empty if it does."""
    found: list[str] = []
    _Checker(schema, found).check(value, schema, "")
    return found[:MAX_PROBLEMS]


def _is_type(value: Any, name: str) -> bool:
    if name in ("integer", "number"):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return False
        return name == "number" or isinstance(value, int) or value.is_integer()
    return isinstance(value, _TYPES.get(name, (object,)))


class _Checker:
    def __init__(self, root: Any, found: list[str]) -> None:
        self._root = root
        self._found = found

    def _add(self, place: str, text: str) -> None:
        self._found.append(f"{place or 'the value'} {text}")

    def _matches(self, value: Any, schema: Any) -> bool:
        found: list[str] = []
        _Checker(self._root, found).check(value, schema, "")
        return not found

    def check(self, value: Any, schema: Any, place: str) -> None:
        if schema is True or len(self._found) >= MAX_PROBLEMS:
            return
        if schema is False:
            self._add(place, "is not allowed")
            return
        if "$ref" in schema:
            self.check(value, self._resolve(schema["$ref"]), place)
        types = schema.get("type")
        if types is not None:
            names = [types] if isinstance(types, str) else types
            if not any(_is_type(value, name) for name in names):
                self._add(place, f"must be of type {' or '.join(names)}")
                return
        if "enum" in schema and not any(_equal(value, item) for item in schema["enum"]):
            self._add(place, f"must be one of {json.dumps(schema['enum'])}")
        if "const" in schema and not _equal(value, schema["const"]):
            self._add(place, f"must be {json.dumps(schema['const'])}")
        self._combined(value, schema, place)
        if isinstance(value, dict):
            self._object(value, schema, place)
        elif isinstance(value, list):
            self._array(value, schema, place)
        elif isinstance(value, str):
            self._string(value, schema, place)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            self._number(value, schema, place)

    def _resolve(self, reference: str) -> Any:
        node = self._root
        for part in reference.removeprefix("#").strip("/").split("/"):
            if part:
                node = node.get(part.replace("~1", "/").replace("~0", "~"), True) if isinstance(node, dict) else True
        return node

    def _combined(self, value: Any, schema: dict[str, Any], place: str) -> None:
        for part in schema.get("allOf", ()):
            self.check(value, part, place)
        if "anyOf" in schema and not any(self._matches(value, part) for part in schema["anyOf"]):
            self._add(place, "matches none of the alternatives")
        if "oneOf" in schema and sum(self._matches(value, part) for part in schema["oneOf"]) != 1:
            self._add(place, "must match exactly one of the alternatives")
        if "not" in schema and self._matches(value, schema["not"]):
            self._add(place, "matches a schema that is excluded")

    def _object(self, value: dict[str, Any], schema: dict[str, Any], place: str) -> None:
        properties = schema.get("properties", {})
        for name in schema.get("required", ()):
            if name not in value:
                self._add(f"{place}.{name}".lstrip("."), "is missing")
        more = schema.get("additionalProperties", True)
        for name, item in value.items():
            inner = f"{place}.{name}".lstrip(".")
            if name in properties:
                self.check(item, properties[name], inner)
            else:
                self.check(item, more, inner)

    def _array(self, value: list[Any], schema: dict[str, Any], place: str) -> None:
        prefix = schema.get("prefixItems", [])
        for index, item in enumerate(value):
            self.check(item, prefix[index] if index < len(prefix) else schema.get("items", True), f"{place}[{index}]")
        if len(value) < schema.get("minItems", 0):
            self._add(place, f"must have at least {schema['minItems']} items")
        if len(value) > schema.get("maxItems", len(value)):
            self._add(place, f"must have at most {schema['maxItems']} items")
        if schema.get("uniqueItems") and any(_equal(a, b) for i, a in enumerate(value) for b in value[:i]):
            self._add(place, "must have different items")

    def _string(self, value: str, schema: dict[str, Any], place: str) -> None:
        if len(value) < schema.get("minLength", 0):
            self._add(place, f"must have at least {schema['minLength']} characters")
        if len(value) > schema.get("maxLength", len(value)):
            self._add(place, f"must have at most {schema['maxLength']} characters")
        if "pattern" in schema and not re.search(schema["pattern"], value):
            self._add(place, f"must match {schema['pattern']}")

    def _number(self, value: float, schema: dict[str, Any], place: str) -> None:
        if value < schema.get("minimum", value):
            self._add(place, f"must be at least {schema['minimum']}")
        if value > schema.get("maximum", value):
            self._add(place, f"must be at most {schema['maximum']}")
        if "exclusiveMinimum" in schema and value <= schema["exclusiveMinimum"]:
            self._add(place, f"must be greater than {schema['exclusiveMinimum']}")
        if "exclusiveMaximum" in schema and value >= schema["exclusiveMaximum"]:
            self._add(place, f"must be less than {schema['exclusiveMaximum']}")
        step = schema.get("multipleOf")
        if step and abs(value / step - round(value / step)) > 1e-9:
            self._add(place, f"must be a multiple of {step}")


def _equal(a: Any, b: Any) -> bool:
    # `True == 1` in Python, but not in JSON.
    return isinstance(a, bool) == isinstance(b, bool) and bool(a == b)
