"""Results of implementations, by prompt, schema, shape of the context and instructions."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from typing import Any

from ..inspect import shape
from .process import now

FOLDER = os.path.join(".klendathu", "cache")
# Raised when the meaning of a file changes.
VERSION = 1
_MAX_DEPTH = 3
_MAX_KEYS = 100


def shape_of(value: Any, depth: int = 0) -> Any:
    """Names and types without values: `{"users": [{"id": "int"}]}`. Runs no code of the program."""
    if depth < _MAX_DEPTH and shape.base_of(value, (dict,)):
        items = [(key, item) for key, item in shape.first_items(value, _MAX_KEYS) if type(key) is str]
        return {key: shape_of(item, depth + 1) for key, item in sorted(items)}
    if depth < _MAX_DEPTH and shape.base_of(value, shape.LISTS):
        return [shape_of(item, depth + 1) for item in shape.first_elements(value, 1)]
    return shape.type_name(value)


class ReplayCache:
    """One entry. A folder that cannot be written, and a damaged file, are ignored."""

    def __init__(self, folder: str, prompt: str, schema: Any, *, context: Mapping[str, Any], more: Any = None) -> None:
        key = json.dumps([VERSION, prompt, schema, shape_of(dict(context)), more], sort_keys=True, default=repr)
        name = hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()[:32]
        self._folder = folder
        self._path = os.path.join(folder, f"{name}.json")

    def read(self) -> tuple[Any] | None:
        """The stored value, which is not checked against the schema."""
        try:
            with open(self._path, encoding="utf-8") as file:
                return (json.load(file)["result"],)
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None

    def write(self, value: Any) -> None:
        """Complete or not at all."""
        with contextlib.suppress(OSError, ValueError, TypeError):
            os.makedirs(self._folder, exist_ok=True)
            descriptor, temporary = tempfile.mkstemp(dir=self._folder, suffix=".tmp")
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump({"createdAt": now(), "result": value}, file)
            os.replace(temporary, self._path)
