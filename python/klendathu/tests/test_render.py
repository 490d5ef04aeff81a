import collections
import datetime
import enum

import pytest

from klendathu.inspect import shape, tree
from klendathu.inspect.preview import LIMIT, preview


def keep(name, text):
    return text


class Hostile:
    """Every way to run code while a value is looked at."""

    calls = []

    def __init__(self):
        object.__setattr__(self, "inner", 1)

    def __getattribute__(self, name):
        Hostile.calls.append(name)
        raise SystemExit

    def __repr__(self):
        Hostile.calls.append("repr")
        raise SystemExit

    __str__ = __len__ = __iter__ = __bool__ = __hash__ = __repr__

    def __eq__(self, other):
        Hostile.calls.append("eq")
        raise SystemExit


class Meta(type):
    def __getattribute__(cls, name):
        Hostile.calls.append(f"meta {name}")
        raise SystemExit

    def __eq__(cls, other):
        Hostile.calls.append("meta eq")
        raise SystemExit

    def __hash__(cls):
        return 1

    def __repr__(cls):
        raise SystemExit


class Colour(enum.Enum):
    RED = 1


class Slots:
    __slots__ = ("a", "b")

    def __init__(self):
        self.a = 1


def make_hostile_list():
    class List(list):
        def __iter__(self):
            raise SystemExit

        __len__ = __getitem__ = __repr__ = __iter__

    return List([1, 2])


HOSTILE = [
    Hostile(),
    [Hostile()],
    {"a": Hostile()},
    Meta("Evil", (), {})(),
    make_hostile_list(),
    type("Dict", (dict,), {"items": None, "__iter__": None, "__len__": None})(a=1),
    type("Text", (str,), {"__len__": None, "__repr__": None, "__getitem__": None})("abc"),
    type("Class", (), {"__class__": property(lambda self: 1 / 0)})(),
    type("Dict", (), {"__dict__": property(lambda self: 1 / 0)})(),
]


@pytest.mark.parametrize("index", range(len(HOSTILE)))
def test_runs_no_code_of_the_value(index):
    value = HOSTILE[index]
    Hostile.calls.clear()
    nodes = tree.nodes([("value", value)], keep, 6)
    assert len(nodes) == 1
    assert len(preview(value)) <= LIMIT
    assert Hostile.calls == []


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "None"),
        (True, "True"),
        ("a'b", '"a\'b"'),
        (b"x", "b'x'"),
        ([1, [2]], "[1, [2]]"),
        ((), "()"),
        ({"a": {"b": 1}}, "{'a': {'b': 1}}"),
        (collections.OrderedDict(a=1), "{'a': 1}"),
        (collections.deque([1]), "[1]"),
        (Colour.RED, "Colour.RED"),
        (datetime.date(2026, 1, 2), "datetime.date(2026, 1, 2)"),
        (KeyError("a"), "KeyError('a')"),
        (KeyError, "<class KeyError>"),
        (Slots(), "Slots(a=1)"),
        (10**1000, "<int of 3322 bits>"),
        (len, "<built-in function len>"),
    ],
)
def test_preview(value, text):
    assert preview(value) == text


def test_huge_values_are_cut():
    text = "x" * 50_000_000
    assert len(preview(text)) <= LIMIT
    assert len(preview([text] * 1000)) <= LIMIT
    node = tree.nodes([("many", list(range(1_000_000)))], keep, 3)[0]
    assert node["size"] == 1_000_000
    assert node["omitted"] == 1_000_000 - tree.MAX_CHILDREN


def test_cycles_and_depth_end():
    loop = []
    loop.append(loop)
    assert tree.nodes([("loop", loop)], keep, 6)[0]["children"][0]["type"] == "list"
    deep = None
    for _ in range(5000):
        deep = [deep]
    assert tree.nodes([("deep", deep)], keep, 6)
    wide = {str(i): {str(j): list(range(50)) for j in range(50)} for i in range(50)}
    assert str(tree.nodes([("wide", wide)], keep, 6)).count("preview") <= tree.MAX_NODES + 1


def test_paths_lead_to_each_part():
    user = Slots()
    user.a = {"first name": [{"x": 1}], 2: {3, 4}, "q\"t": (5,)}
    variables = {"user": user, "n": 1}

    def walk(nodes):
        for node in nodes:
            if "path" in node:
                assert shape.type_name(tree.find(variables, node["path"])) == node["type"]
                yield node["path"]
            yield from walk(node.get("children", []))

    assert len(list(walk(tree.nodes(variables.items(), keep, 6)))) == 6
    assert tree.find(variables, 'user.a["first name"][0]["x"]') == 1
    for path in ("other", "user.c", 'user.a["no"]', "user..a", "user.a[0]"):
        with pytest.raises(LookupError):
            tree.find(variables, path)
