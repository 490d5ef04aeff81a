"""Results of implementations, by prompt, schema, values of the context and instructions."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from typing import Any

from ..inspect.exact import exact_key
from .process import now

FOLDER = os.path.join(".klendathu", "cache")
# Raised when the meaning of a file changes.
VERSION = 2


class ReplayCache:
    """One entry. A folder that cannot be written, and a damaged file, are ignored. Raises `NotExact`."""

    def __init__(self, folder: str, prompt: str, schema: Any, *, context: Mapping[str, Any], more: Any = None) -> None:
        key = json.dumps([VERSION, prompt, schema, exact_key(dict(context)), more], sort_keys=True, default=repr)
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
