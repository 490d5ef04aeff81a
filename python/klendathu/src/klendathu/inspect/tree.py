"""Values as trees of `ValueNode`, and the paths into them."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterable
from typing import Any

from .._wire import ValueNode
from . import shape
from .preview import preview

MAX_CHILDREN = 50
MAX_NODES = 600
_STEP = re.compile(r"\.([^\W\d]\w*)|\[(\d+)\]|\{(\d+)\}|\[(\"(?:[^\"\\]|\\.)*\")\]")
_ROOT = re.compile(r"[^\W\d]\w*")

Masker = Callable[[str, str], str]


def parts_of(value: Any) -> list[tuple[str, str, Any]]:
    """Name, step of the path and value of each part. Attributes of an object, elements, entries."""
    if shape.base_of(value, (dict,)):
        return [_entry(index, key, item) for index, (key, item) in enumerate(shape.first_items(value, 10_000))]
    base = shape.base_of(value, shape.LISTS + shape.SETS)
    found: list[tuple[str, str, Any]] = []
    if base:
        left, right = "{}" if base in shape.SETS else "[]"
        for index, item in enumerate(shape.first_elements(value, 10_000)):
            found.append((f"[{index}]", f"{left}{index}{right}", item))
    elif shape.base_of(value, (BaseException,)):
        found = [(f"args[{i}]", f"{{{i}}}", item) for i, item in enumerate(shape.exception_args(value))]
    elif shape.base_of(value, (str, bytes, bytearray, int, float, complex, type)) or not _has_attributes(value):
        return []
    return found + [(name, f".{name}", item) for name, item in shape.attributes(value).items()]


def _has_attributes(value: Any) -> bool:
    import types

    # A module, a function: their globals are not part of a value.
    return shape.base_of(value, (types.ModuleType, types.FunctionType, types.BuiltinFunctionType)) is None


def _entry(index: int, key: Any, item: Any) -> tuple[str, str, Any]:
    if type(key) is str and len(key) <= 200:
        quoted = json.dumps(key)
        return quoted, f"[{quoted}]", item
    return preview(key, 80), f"{{{index}}}", item


class Tree:
    """Renders one answer: at most `MAX_NODES` nodes, each object once on its branch."""

    def __init__(self, mask: Masker) -> None:
        self._mask = mask
        self._left = MAX_NODES

    def node(self, name: str, value: Any, *, path: str, depth: int, above: tuple[int, ...] = ()) -> ValueNode:
        self._left -= 1
        node: ValueNode = {
            "name": self._mask("", name)[:200],
            "type": shape.type_name(value),
            "preview": self._mask(name, preview(value)),
        }
        size = shape.size_of(value)
        if size is not None:
            node["size"] = size
        if id(value) in above:
            return node
        parts = parts_of(value)
        if not parts:
            return node
        node["path"] = path
        if depth > 0 and self._left > 0:
            self._add_children(node, parts, path=path, depth=depth, above=(*above, id(value)))
        return node

    def _add_children(
        self, node: ValueNode, parts: list[tuple[str, str, Any]], *, path: str, depth: int, above: tuple[int, ...]
    ) -> None:
        children: list[ValueNode] = []
        for name, step, item in itertools.islice(parts, MAX_CHILDREN):
            if self._left <= 0:
                break
            children.append(self.node(name, item, path=path + step, depth=depth - 1, above=above))
        node["children"] = children
        omitted = max(len(parts), node.get("size", 0)) - len(children)
        if omitted > 0:
            node["omitted"] = omitted


def nodes(values: Iterable[tuple[str, Any]], mask: Masker, depth: int) -> list[ValueNode]:
    """One tree for each variable."""
    tree = Tree(mask)
    return [tree.node(name, value, path=name, depth=depth - 1) for name, value in values]


def find(variables: dict[str, Any], path: str) -> Any:
    """The value at a path. Raises `LookupError` with the part of the path that does not exist."""
    root = _ROOT.match(path)
    if root is None or root.group() not in variables:
        raise LookupError(f"no variable at the start of the path {path!r}")
    value = variables[root.group()]
    position = root.end()
    while position < len(path):
        step = _STEP.match(path, position)
        text = step.group() if step else path[position:]
        found = [item for _, other, item in parts_of(value) if other == text]
        if step is None or not found:
            raise LookupError(f"no part {text!r} in {path[:position]!r}")
        value = found[0]
        position = step.end()
    return value
