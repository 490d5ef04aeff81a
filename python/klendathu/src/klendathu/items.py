"""Descriptions of what an investigation sees."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ContextItem:
    """A value with a description for the agent."""

    value: Any
    description: str = ""


@dataclass(frozen=True)
class ContextCallable:
    """A function that the agent may call, with a description. The function should have no side effects."""

    value: Callable[..., Any]
    description: str = ""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.value(*args, **kwargs)


def split_items(context: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """The values and the descriptions, by name."""
    values: dict[str, Any] = {}
    descriptions: dict[str, str] = {}
    for name, item in context.items():
        if isinstance(item, (ContextItem, ContextCallable)):
            values[str(name)] = item.value
            if item.description:
                descriptions[str(name)] = item.description
        else:
            values[str(name)] = item
    return values, descriptions
