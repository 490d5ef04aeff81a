import asyncio
import sys

import pytest

from klendathu.inspect import frames
from klendathu.inspect.redact import Redactor


def names(found):
    return [frame.wire["functionName"].rpartition(".")[2] for frame in found]


def test_each_frame_has_its_variables(catch):
    def inner(value):
        doubled = value * 2
        return doubled / 0

    def outer(value):
        kept = [value]
        return inner(kept[0])

    found = frames.capture(catch(outer, 3), None)
    assert names(found)[:2] == ["inner", "outer"]
    assert found[0].variables == {"value": 3, "doubled": 6}
    assert found[1].variables["kept"] == [3]
    assert all(frame.wire["isUser"] and frame.wire["line"] > 0 for frame in found[:2])


def test_causes_follow(catch):
    def cause():
        hidden = 42
        raise KeyError(hidden)

    def outer():
        try:
            cause()
        except KeyError as error:
            raise ValueError("no") from error

    error = catch(outer)
    found = frames.capture(error, None)
    assert found[names(found).index("cause")].variables["hidden"] == 42
    summary = frames.summarize(error, Redactor())
    assert (summary["name"], summary["cause"]["name"], summary["cause"]["message"]) == ("ValueError", "KeyError", "42")


def test_callers_across_await():
    async def inner(key):
        await asyncio.sleep(0)
        return {}[key]

    async def middle():
        wanted = "a"
        return await asyncio.create_task(inner(wanted))

    async def outer():
        level = 1
        try:
            await middle()
        except KeyError as error:
            return frames.capture(error, sys._getframe()), level

    found, _ = asyncio.run(outer())
    by_name = dict(zip(names(found), found))
    assert by_name["inner"].variables == {"key": "a"}
    assert by_name["middle"].variables["wanted"] == "a"
    assert by_name["middle"].wire["isAsync"]
    assert by_name["outer"].variables["level"] == 1


def test_tasks_that_wait_are_callers():
    async def child():
        return frames.capture(None, sys._getframe())

    async def parent():
        mark = "here"
        return await asyncio.gather(asyncio.create_task(child())), mark

    (found,), _ = asyncio.run(parent())
    waiting = next(frame for frame in found if "parent" in frame.wire["functionName"])
    assert waiting.wire["isAsync"] and waiting.variables["mark"] == "here"


@pytest.mark.skipif(sys.version_info < (3, 11), reason="exception groups are of Python 3.11")
def test_groups(catch):
    def member():
        value = 5
        raise ValueError(value)

    def group():
        raise ExceptionGroup("both", [catch(member)])  # noqa: F821

    assert "member" in names(frames.capture(catch(group), None))


def test_hostile_errors(catch):
    class Hostile(Exception):
        def __str__(self):
            raise SystemExit

        __repr__ = __str__

    def run():
        raise Hostile("x")

    error = catch(run)
    summary = frames.summarize(error, Redactor())
    assert summary["name"] == "Hostile"
    assert len(frames.fingerprint(error, frames.capture(error, None))) == 16
    error.__cause__ = error
    assert frames.summarize(error, Redactor())["name"] == "Hostile"


def test_equal_failures_have_equal_fingerprints(catch):
    def lookup(key):
        return {}[key]

    def other(key):
        return {}[key]

    def mark(function, key):
        error = catch(function, key)
        return frames.fingerprint(error, frames.capture(error, None))

    assert mark(lookup, "a") == mark(lookup, "b")
    assert mark(lookup, "a") != mark(other, "a")


def test_deep_recursion(catch):
    def down(n):
        return down(n + 1)

    assert len(frames.capture(catch(down, 0), None)) == frames.MAX_FRAMES


def test_the_first_frame_is_the_test_not_its_library():
    import unittest

    class Case(unittest.TestCase):
        def test_total(self):
            total = 3
            self.assertEqual(total, 4)

    with pytest.raises(AssertionError) as caught:
        Case("test_total").debug()
    first = frames.capture(caught.value, None)[0]
    assert first.wire["functionName"].endswith("test_total") and first.variables["total"] == 3


def test_errors_of_groups_in_groups():
    groups = pytest.importorskip("builtins").__dict__.get("ExceptionGroup")
    if groups is None:
        pytest.skip("needs Python 3.11")

    def fail(number):
        raise ValueError(number)

    def gather():
        errors = []
        for number in range(2):
            try:
                fail(number)
            except ValueError as error:
                errors.append(error)
        raise groups("outer", [groups("inner", errors), KeyError("k")])

    with pytest.raises(groups) as caught:
        gather()
    found = [frame.variables.get("number") for frame in frames.capture(caught.value, None)]
    assert 0 in found and 1 in found
