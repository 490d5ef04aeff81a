"""Schemas for `implement`: pydantic models, dataclasses, TypedDicts, other types, and JSON Schema."""

from __future__ import annotations

import dataclasses
import enum
import types
import typing
from collections.abc import Mapping
from typing import Any, Union

from .errors import KlendathuError
from .launch.validate import problems

_SIMPLE: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    None: {"type": "null"},
    Any: {},
    dict: {"type": "object"},
    list: {"type": "array"},
}


class Invalid(Exception):
    """The reasons why a value is refused."""

    def __init__(self, reasons: list[str]) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = reasons


class Schema:
    """`json_schema` is what the model is shown; `read` makes a value of the type. Raises `KlendathuError` `schema`."""

    def __init__(self, source: Any) -> None:
        self._source = source
        self._kind = _kind_of(source)
        try:
            self.json_schema: dict[str, Any] = self._convert()
        except KlendathuError:
            raise
        except Exception as error:
            raise KlendathuError("schema", f"The schema cannot be converted to JSON Schema: {error}") from error

    def _convert(self) -> dict[str, Any]:
        if self._kind == "json":
            return dict(self._source)
        if self._kind == "pydantic2":
            return dict(self._source.model_json_schema())
        if self._kind == "pydantic1":
            return dict(self._source.schema())
        return to_json_schema(self._source)

    def read(self, value: Any) -> Any:
        """The value as an instance of the type. Raises `Invalid`."""
        if self._kind in ("pydantic1", "pydantic2"):
            return self._read_pydantic(value)
        reasons = _with_jsonschema(value, self.json_schema) if self._kind == "json" else None
        if reasons is None:
            reasons = problems(value, self.json_schema)
        if reasons:
            raise Invalid(reasons)
        try:
            return value if self._kind == "json" else build(self._source, value)
        except (TypeError, ValueError) as error:
            # The `__post_init__` of a dataclass, or an enumeration.
            raise Invalid([str(error) or type(error).__name__]) from None

    def _read_pydantic(self, value: Any) -> Any:
        try:
            return self._source.model_validate(value) if self._kind == "pydantic2" else self._source.parse_obj(value)
        except ValueError as error:
            details = error.errors() if hasattr(error, "errors") else []
            found = [f"{'.'.join(map(str, detail['loc'])) or 'the value'}: {detail['msg']}" for detail in details]
            raise Invalid(found or [str(error)]) from None


def _kind_of(source: Any) -> str:
    if isinstance(source, Mapping):
        return "json"
    if isinstance(source, type) and hasattr(source, "model_json_schema"):
        return "pydantic2"
    if isinstance(source, type) and hasattr(source, "__fields__") and hasattr(source, "parse_obj"):
        return "pydantic1"
    return "type"


def _with_jsonschema(value: Any, schema: dict[str, Any]) -> list[str] | None:
    """All of JSON Schema, if the package `jsonschema` is installed; else None."""
    try:
        import jsonschema  # type: ignore[import-untyped,import-not-found,unused-ignore]
    except ImportError:
        return None
    validator = jsonschema.validators.validator_for(schema)(schema)
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(value)][:20]


def _fields(source: Any) -> tuple[dict[str, Any], set[str]] | None:
    """Types by name, and the names that are required; None for another kind of type."""
    if dataclasses.is_dataclass(source) and isinstance(source, type):
        hints = typing.get_type_hints(source)
        listed = [field for field in dataclasses.fields(source) if field.init]
        missing = dataclasses.MISSING
        required = {f.name for f in listed if f.default is missing and f.default_factory is missing}
        return {field.name: hints[field.name] for field in listed}, required
    if isinstance(source, type) and hasattr(source, "__required_keys__"):
        return typing.get_type_hints(source), set(source.__required_keys__)
    return None


def to_json_schema(source: Any) -> dict[str, Any]:
    """Raises `KlendathuError` `schema` for a type without a form in JSON."""
    if source in (float,) or (isinstance(source, type) and source in _SIMPLE) or source is None or source is Any:
        return dict(_SIMPLE[source])
    fields = _fields(source)
    if fields is not None:
        types_, required = fields
        return {
            "type": "object",
            "properties": {name: to_json_schema(kind) for name, kind in types_.items()},
            "required": sorted(required),
            "additionalProperties": False,
        }
    if isinstance(source, type) and issubclass(source, enum.Enum):
        return {"enum": [member.value for member in source]}
    origin, arguments = typing.get_origin(source), typing.get_args(source)
    if origin in (Union, types.UnionType):
        return {"anyOf": [to_json_schema(part) for part in arguments]}
    if origin is typing.Literal:
        return {"enum": list(arguments)}
    if origin in (list, set, frozenset) or getattr(origin, "__name__", "") in ("Sequence", "Iterable"):
        return {"type": "array", "items": to_json_schema(arguments[0])}
    if origin is tuple:
        if len(arguments) == 2 and arguments[1] is ...:
            return {"type": "array", "items": to_json_schema(arguments[0])}
        return {
            "type": "array",
            "prefixItems": [to_json_schema(part) for part in arguments],
            "minItems": len(arguments),
            "maxItems": len(arguments),
        }
    if origin is dict or getattr(origin, "__name__", "") == "Mapping":
        return {"type": "object", "additionalProperties": to_json_schema(arguments[1])}
    if getattr(origin, "__name__", "") in ("Annotated", "Required", "NotRequired"):
        return to_json_schema(arguments[0])
    raise KlendathuError("schema", f"The type {source!r} has no form in JSON Schema."[:300], "Give a JSON Schema.")


def build(source: Any, value: Any) -> Any:
    """A value of JSON, which matches the schema, as a value of the type."""
    fields = _fields(source)
    if fields is not None and isinstance(value, dict):
        built = {name: build(fields[0][name], item) for name, item in value.items() if name in fields[0]}
        construct: Any = source
        return construct(**built) if dataclasses.is_dataclass(source) else built
    if isinstance(source, type) and issubclass(source, enum.Enum):
        return source(value)
    if source is float and isinstance(value, int):
        return float(value)
    origin, arguments = typing.get_origin(source), typing.get_args(source)
    if origin in (Union, types.UnionType):
        kind = next((part for part in arguments if not problems(value, to_json_schema(part))), Any)
        return build(kind, value)
    if isinstance(value, list) and arguments:
        kinds = arguments if origin is tuple and ... not in arguments else [arguments[0]] * len(value)
        items = [build(kind, item) for kind, item in zip(kinds, value, strict=True)]
        return origin(items) if origin in (tuple, set, frozenset) else items
    if origin is dict and isinstance(value, dict):
        return {key: build(arguments[1], item) for key, item in value.items()}
    if getattr(origin, "__name__", "") in ("Required", "NotRequired"):
        return build(arguments[0], value)
    return value
