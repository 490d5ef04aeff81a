"""Failures that are written to a file, and investigated later."""

from __future__ import annotations

import json
import os
import tempfile
from typing import Any

from .._wire import PROTOCOL_VERSION, ContextEntry, DebugRecord, ErrorSummary, StackFrame, ValueNode
from ..errors import KlendathuError
from ..inspect.redact import Redactor
from ..mcp.target import Target
from .agent import runtime
from .options import Options
from .process import now
from .validate import problems

FOLDER = os.path.join(".klendathu", "records")
MAX_SIZE = 32 << 20
# Frames whose variables are recorded.
MAX_LOCALS = 12
# Records in a folder. The oldest are deleted.
MAX_RECORDS = 200


def make_record(target: Target, options: Options) -> DebugRecord:
    """The failure with its variables, without live references and without secrets."""
    frames: list[Any] = []
    left = MAX_LOCALS
    for index, frame in enumerate(target.frames):
        recorded: Any = dict(frame.wire)
        if frame.wire.get("hasLocals") and frame.wire.get("isUser") and left > 0:
            left -= 1
            recorded["locals"] = target.locals(index, None, 4)
        frames.append(recorded)
    error: ErrorSummary = target.summary or {"name": "Error", "message": ""}
    context: list[Any] = [{**e, "value": v} for e, v in zip(target.context, target.context_values, strict=True)]
    return {
        "protocol": PROTOCOL_VERSION,
        "fingerprint": target.fingerprint,
        "language": "python",
        "runtime": runtime(),
        "timestamp": now(),
        "pid": os.getpid(),
        "projectRoot": options.folder,
        "error": error,
        "frames": frames,
        "context": context,
        "console": target.console.since(0),
        "count": 1,
    }


def write_record(target: Target, options: Options) -> str:
    """Writes `FINGERPRINT.json`, or counts one more failure if it exists. Returns its path. Raises `OSError`."""
    folder = os.path.join(options.folder, options.records_folder or FOLDER)
    path = os.path.join(folder, f"{target.fingerprint}.json")
    if os.path.exists(path):
        # A byte for each failure: processes count at the same time without losing one.
        with open(f"{path}.count", "a", encoding="ascii") as counter:
            counter.write("+")
        return path
    os.makedirs(folder, mode=0o700, exist_ok=True)
    # Records belong to a machine, not to a repository.
    with open(os.path.join(folder, ".gitignore"), "w", encoding="ascii") as ignore:
        ignore.write("*\n")
    descriptor, temporary = tempfile.mkstemp(dir=folder, suffix=".tmp")
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(make_record(target, options), file, ensure_ascii=False)
    os.replace(temporary, path)
    _prune_folder(folder)
    return path


def _prune_folder(folder: str) -> None:
    paths = [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".json")]
    for path in sorted(paths, key=os.path.getmtime)[:-MAX_RECORDS]:
        for old in (path, f"{path}.count"):
            if os.path.exists(old):
                os.remove(old)


def read_record(path: str) -> DebugRecord:
    """Raises `KlendathuError` `input`."""
    try:
        if os.path.getsize(path) > MAX_SIZE:
            raise KlendathuError("input", f"The record {path} is too large.")
        with open(path, encoding="utf-8") as file:
            record = json.load(file)
    except (OSError, ValueError, RecursionError) as error:
        raise KlendathuError("input", f"The record {path} cannot be read: {error}") from None
    needed = ["fingerprint", "error", "frames", "context", "console", "count", "projectRoot"]
    wrong = problems(record, {"type": "object", "required": needed, "properties": {"count": {"type": "integer"}}})
    if wrong:
        raise KlendathuError("input", f"{path} is not a record: {wrong[0]}.")
    if os.path.exists(f"{path}.count"):
        record["count"] += os.path.getsize(f"{path}.count")
    result: DebugRecord = record
    return result


class RecordTarget(Target):
    """A record in the place of a live failure. Evaluated code sees `record`."""

    def __init__(self, record: DebugRecord) -> None:
        super().__init__(None, {"record": record}, {"record": "The failure that was recorded."}, redactor=Redactor())
        self.frames = []
        self.loop = None
        self._record = record
        for entry in record["console"]:
            self.console.add(entry["level"], entry["text"] + "\n")

    @property
    def call_stack(self) -> list[StackFrame]:
        frames: list[Any] = [{k: v for k, v in frame.items() if k != "locals"} for frame in self._record["frames"]]
        return frames

    @property
    def context(self) -> list[ContextEntry]:
        entries: list[Any] = [{k: v for k, v in item.items() if k != "value"} for item in self._record["context"]]
        return [*entries, {"name": "record", "type": "dict", "description": "The recorded failure, for `eval`."}]

    @property
    def summary(self) -> ErrorSummary | None:
        return self._record["error"]

    @property
    def fingerprint(self) -> str:
        return self._record["fingerprint"]

    def locals(self, index: int, path: str | None = None, depth: int = 2) -> list[ValueNode]:
        if not 0 <= index < len(self._record["frames"]):
            raise LookupError(f"no frame {index}: there are {len(self._record['frames'])}")
        nodes = self._record["frames"][index].get("locals", [])
        if path is not None:
            nodes = [found for node in nodes for found in [_find(node, path)] if found is not None][:1]
            if not nodes:
                raise LookupError(f"the record holds nothing at the path {path!r}")
        return [_prune(node, depth - 1) for node in nodes]


def _find(node: ValueNode, path: str) -> ValueNode | None:
    if node.get("path", node["name"]) == path:
        return node
    for child in node.get("children", []):
        own = node.get("path", node["name"])
        step = child["name"] if child["name"].startswith("[") else f".{child['name']}"
        if child.get("path", own + step) == path or f"{own}[{child['name']}]" == path:
            return child
        found = _find(child, path)
        if found is not None:
            return found
    return None


def _prune(node: ValueNode, depth: int) -> ValueNode:
    if depth > 0 or "children" not in node:
        return {**node, "children": [_prune(child, depth - 1) for child in node["children"]]} if "children" in node else node
    pruned: Any = {key: value for key, value in node.items() if key != "children"}
    result: ValueNode = pruned
    return result


