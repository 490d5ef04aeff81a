import asyncio
import sys
import threading

import pytest

from klendathu.inspect import isolate
from klendathu.mcp.tools import ToolFailed

MODES = [pytest.param({}, id="copy"), pytest.param({"isolated": False}, id="thread"), pytest.param({"access": "full"}, id="full")]


def ask(tools, code, **more):
    if tools._access == "full":
        more.setdefault("readOnly", False)
    return tools.call("eval", {"code": code, **more})


@pytest.mark.parametrize("options", MODES)
def test_values_and_names(options, tools_for, catch):
    def failing(order):
        total = order["price"] + 1
        return total.missing

    tools = tools_for(catch(failing, {"price": 2}), {"user": {"name": "Ann"}, "not a name": 1}, **options)
    assert ask(tools, "1 + 1")["result"] == "2"
    assert ask(tools, "x = 5\nx * 2")["result"] == "10"
    assert ask(tools, "x = 5")["result"] == "None"
    assert ask(tools, "user['name'], context['not a name']")["result"] == "('Ann', 1)"
    assert ask(tools, "total, order", frame=0)["result"] == "(3, {'price': 2})"
    assert ask(tools, "[total for _ in range(2)], (lambda: total)()", frame=0)["result"] == "([3, 3], 3)"
    assert ask(tools, "type(error).__name__")["result"] == "'AttributeError'"
    assert ask(tools, "MODES[0].id")["result"] == "'copy'"
    with pytest.raises(ToolFailed, match="NameError"):
        ask(tools, "total")


@pytest.mark.parametrize("options", MODES)
def test_await_and_output(options, tools_for):
    tools = tools_for(None, {}, **options)
    answer = ask(tools, "import asyncio, sys\nprint('a', 1)\nprint('b', file=sys.stderr)\nawait asyncio.sleep(0, 'done')")
    assert answer["result"] == "'done'"
    assert [(e["level"], e["text"]) for e in answer["console"]] == [("stdout", "a 1"), ("stderr", "b")]
    with pytest.raises(ToolFailed, match="KeyError"):
        ask(tools, "async def f(): return {}['x']\nawait f()")


def test_full_access_uses_the_loop_of_the_program(tools_for):
    async def main():
        tools = tools_for(None, {"event": asyncio.Event(), "box": []}, access="full", eval_timeout=2)
        loop = asyncio.get_running_loop()
        ask_later = lambda code: loop.run_in_executor(None, lambda: ask(tools, code))  # noqa: E731
        assert (await ask_later("import asyncio\nawait asyncio.sleep(0)\nasyncio.get_running_loop() is event and 1"))["result"] == "False"
        waiting = asyncio.ensure_future(ask_later("await event.wait()\nbox.append(1)\nlen(box)"))
        await asyncio.sleep(0)
        tools._target._items["event"].set()
        assert (await waiting)["result"] == "1"
        assert tools._target._items["box"] == [1]
        # A loop in a coroutine stops, and the loop of the program continues.
        for code in ("import asyncio\nawait asyncio.sleep(0)\nwhile True: pass", "await event.__class__().wait()"):
            with pytest.raises(ToolFailed, match="time limit"):
                await loop.run_in_executor(None, lambda: ask(tools, code, timeoutMs=200))  # noqa: B023
        with pytest.raises(ToolFailed, match="SystemExit"):
            await ask_later("import asyncio, sys\nawait asyncio.sleep(0)\nsys.exit(1)")
        assert await asyncio.sleep(0, "alive") == "alive"

    asyncio.run(main())


def test_limit_of_evaluations(tools_for):
    tools = tools_for(None, {}, max_evals=1)
    ask(tools, "1")
    with pytest.raises(ToolFailed, match="limit"):
        ask(tools, "1")


@pytest.mark.skipif(not isolate.CAN_FORK, reason="needs fork")
def test_many_evaluations_at_once(tools_for):
    tools = tools_for(None, {"lock": threading.Lock()})
    results = []
    threads = [threading.Thread(target=lambda n=n: results.append(ask(tools, f"{n}")["result"])) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results, key=int) == [str(n) for n in range(12)]


def test_hidden_locals(tools_for, catch):
    def failing():
        hidden = 5
        raise ValueError(hidden)

    tools = tools_for(catch(failing), {}, locals=False)
    assert tools.call("locals", {"frame": 0}) == {"values": []}
    assert not tools.call("frames", {})["frames"][0]["hasLocals"]


def test_source_and_console(tools_for, catch, capsys):
    from klendathu.inspect import console

    def failing():
        return [][1]

    tools = tools_for(catch(failing))
    frame = tools.call("frames", {})["frames"][0]
    lines = tools.call("source", {"file": frame["filePath"], "line": frame["line"], "around": 1})
    assert "return [][1]" in lines["text"] and lines["first"] == frame["line"] - 1
    console.subscribe(tools._target.console)
    print("hello")
    print("oops", file=sys.stderr)
    console.unsubscribe(tools._target.console)
    print("later")
    entries = tools.call("console", {})["entries"]
    assert [(e["seq"], e["level"], e["text"]) for e in entries] == [(1, "stdout", "hello"), (2, "stderr", "oops")]
    assert tools.call("console", {"since": 2})["entries"] == []
    assert capsys.readouterr().out == "hello\nlater\n"
