import asyncio
import dataclasses
import enum
import json
from typing import Annotated, Any, Literal, Optional, TypedDict, Union

import pytest

from klendathu import KlendathuError, implement
from klendathu.schema import Invalid, Schema


@dataclasses.dataclass
class Point:
    x: int
    y: float = 0.0
    tags: list[str] = dataclasses.field(default_factory=list)

    def __post_init__(self):
        if self.x > 100:
            raise ValueError("x is too large")


class Movie(TypedDict):
    title: str
    year: int


class Size(enum.Enum):
    SMALL = "s"


@dataclasses.dataclass
class Shape:
    points: list[Point]
    size: Size
    kind: Literal["a", "b"]
    pair: tuple[int, str]
    more: Optional[Union[Point, int]] = None
    names: dict[str, int] = dataclasses.field(default_factory=dict)


def test_dataclass_comes_back_as_an_instance():
    value = {"points": [{"x": 1}], "size": "s", "kind": "a", "pair": [1, "b"], "more": {"x": 2}, "names": {"q": 1}}
    shape = implement(f"set {json.dumps(value)}", {}, Shape).result()
    assert shape == Shape([Point(1)], Size.SMALL, "a", (1, "b"), Point(2), {"q": 1})


@pytest.fixture(autouse=True)
def _folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)


def test_a_result_is_replayed(tmp_path, monkeypatch):
    context = {"user": {"name": "Ann"}}
    assert implement('set {"x": 5}', context, Point, cache=True).result() == Point(5)
    monkeypatch.setenv("KLENDATHU_CLI", "/missing")
    assert implement('set {"x": 5}', {"user": {"name": "Ann"}}, Point, cache=True).result() == Point(5)
    for others in (
        {"context": {"user": {"name": "Bob"}}},
        {"context": {"user": {"name": "Ann", "point": Point(1)}}},
        {"instructions": "more"},
        {"cache": False},
    ):
        given = {"context": context, "cache": True, **others}
        with pytest.raises(KlendathuError) as caught:
            implement('set {"x": 5}', given.pop("context"), Point, **given).result()
        assert caught.value.code == "cli-missing"
    (entry,) = (tmp_path / ".klendathu" / "cache").iterdir()
    entry.write_text("{")
    with pytest.raises(KlendathuError):
        implement('set {"x": 5}', context, Point, cache=True).result()


def test_no_result_is_replayed_by_default(monkeypatch):
    assert implement('set {"x": 5}', {"n": 1}, Point).result() == Point(5)
    monkeypatch.setenv("KLENDATHU_CLI", "/missing")
    with pytest.raises(KlendathuError) as caught:
        implement('set {"x": 5}', {"n": 1}, Point).result()
    assert caught.value.code == "cli-missing"


def test_attempts():
    run = implement('set {"x": "a"}\nset {"x": 101}\nset {"x": 5}', {"n": 1}, Point)
    assert run.result() == Point(5)
    previews = [m["resultPreview"] for m in run.stderr if m["type"] == "tool_result"]
    assert '"attemptsLeft": 4' in previews[0] and "x must be of type integer" in previews[0]
    assert "too large" in previews[1]
    with pytest.raises(KlendathuError) as caught:
        implement('set "a"\nset 1', {}, int, attempts=1).result()
    assert caught.value.code == "no-result"


@pytest.mark.parametrize(
    ("code", "prompt", "schema"),
    [
        ("refused", "refuse impossible", int),
        ("no-result", "eval 1", int),
        ("cli-died", "die", int),
        ("schema", "set 1", object),
        ("schema", "set 1", type("Any", (), {})),
        ("input", " ", int),
    ],
)
def test_failures(code, prompt, schema):
    with pytest.raises(KlendathuError) as caught:
        implement(prompt, {}, schema).result()
    assert caught.value.code == code


def test_a_result_counts_although_the_agent_failed_later():
    assert implement("set 5\ndie", {}, int).result() == 5


def test_the_context_is_visible_and_await_works():
    async def main():
        run = implement('eval data["a"]\nset {"title": "x", "year": 1}', {"data": {"a": 5}}, Movie)
        assert await run == {"title": "x", "year": 1}
        assert any('"5"' in m.get("resultPreview", "") for m in run.stderr)

    asyncio.run(main())


@pytest.mark.parametrize(
    ("source", "good", "bad"),
    [
        (list[int], [1, 2], ["a"]),
        (dict[str, bool], {"a": True}, {"a": 1}),
        (Optional[str], None, 5),
        (Annotated[int, "note"], 1, "a"),
        (Movie, {"title": "a", "year": 1}, {"title": "a"}),
        (Any, {"x": 1}, ...),
        ({"type": "string", "pattern": "^a"}, "ab", "b"),
        ({"$defs": {"n": {"type": "integer"}}, "type": "array", "items": {"$ref": "#/$defs/n"}}, [1], ["a"]),
        ({"oneOf": [{"type": "integer"}, {"multipleOf": 5}]}, 1, 5),
        ({"enum": [1, "a"]}, 1, True),
        ({"type": "object", "additionalProperties": False, "properties": {"a": {}}}, {"a": 1}, {"b": 1}),
        ({"type": "array", "uniqueItems": True, "minItems": 1, "maxItems": 2}, [1, 2], [1, 1]),
        ({"minimum": 1, "exclusiveMaximum": 3}, 2, 3),
        ({"not": {"type": "null"}}, 1, None),
    ],
)
def test_schemas(source, good, bad):
    schema = Schema(source)
    schema.read(good)
    if bad is not ...:
        with pytest.raises(Invalid):
            schema.read(bad)


def test_pydantic():
    pydantic = pytest.importorskip("pydantic")

    class User(pydantic.BaseModel):
        name: str
        age: int = 3

    assert Schema(User).json_schema["required"] == ["name"]
    user = implement('set {"age": "x"}\nset {"name": "Ann"}', {}, User).result()
    assert isinstance(user, User) and user.age == 3
    with pytest.raises(Invalid) as caught:
        Schema(User).read({"age": "x"})
    assert len(caught.value.reasons) == 2


def test_pydantic_1():
    v1 = pytest.importorskip("pydantic.v1")

    class User(v1.BaseModel):
        name: str

    user = implement('set {"nam": 1}\nset {"name": "Ann"}', {}, User).result()
    assert isinstance(user, User) and user.name == "Ann"
