import asyncio
import os
import subprocess
import sys
import textwrap

import pytest

from klendathu import investigating, watch


def test_with_investigating():
    reports = []
    with pytest.raises(KeyError) as caught:
        with investigating(on_report=reports.append, instructions="locals 0"):
            wanted = "a"
            {}[wanted]
    assert "'a'" in reports[0] and caught.value.args == ("a",)
    with investigating(on_report=reports.append):
        pass
    assert len(reports) == 1


def test_async_with_and_the_agent_is_missing(monkeypatch, capfd):
    monkeypatch.setenv("KLENDATHU_CLI", "/missing")

    async def main():
        async with investigating():
            raise ValueError("kept")

    with pytest.raises(ValueError, match="kept"):
        asyncio.run(main())
    assert "KLENDATHU_CLI" in capfd.readouterr().err


def test_watch():
    reports = []

    @watch(on_report=reports.append, instructions="eval order", context={"order": 7})
    def function(value):
        """Its documentation."""
        return 1 / value

    @watch(on_report=reports.append)
    async def coroutine():
        raise KeyError("c")

    @watch(on_report=reports.append)
    def generator():
        received = yield 1
        yield received
        raise KeyError("g")

    @watch(on_report=reports.append)
    async def async_generator():
        yield 1
        raise KeyError("a")

    @watch
    def plain():
        return 5

    assert function(1) == 1 and function.__doc__ == "Its documentation." and plain() == 5
    with pytest.raises(ZeroDivisionError):
        function(0)
    assert '"7"' in reports[0]
    with pytest.raises(KeyError):
        asyncio.run(coroutine())
    steps = generator()
    assert next(steps) == 1 and steps.send(2) == 2
    with pytest.raises(KeyError):
        next(steps)

    async def consume():
        return [item async for item in async_generator()]

    with pytest.raises(KeyError):
        asyncio.run(consume())
    assert len(reports) == 4


def test_one_report_for_nested_hooks():
    reports = []

    @watch(on_report=reports.append)
    def inner():
        raise KeyError("n")

    with pytest.raises(KeyError), investigating(on_report=reports.append):
        inner()
    assert len(reports) == 1


def test_ends_of_the_program_are_not_failures():
    with pytest.raises(SystemExit), investigating(on_report=lambda report: 1 / 0):
        sys.exit(3)
    with pytest.raises(KeyboardInterrupt), investigating(on_report=lambda report: 1 / 0):
        raise KeyboardInterrupt


def run_program(text):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(text)], capture_output=True, text=True, timeout=120, env=os.environ
    )


@pytest.mark.parametrize("options", ["instructions='locals 0'", "cli_path='/missing'", "timeout=0.2, instructions='hang'"])
def test_install_keeps_traceback_and_exit_code(options):
    text = """
        import klendathu, sys
        def failing():
            wanted = "value-of-wanted"
            raise ValueError("first")
        if len(sys.argv) < 2:
            klendathu.install({})
        failing()
    """
    bare = run_program(text.replace("klendathu.install({})", "pass"))
    done = run_program(text.replace("install({})", f"install({options})"))
    assert done.returncode == bare.returncode == 1
    assert done.stderr.startswith(bare.stderr[:200]) and "ValueError: first" in done.stderr
    assert ("value-of-wanted" in done.stderr.split("ValueError: first")[1]) == ("locals" in options)


def test_install_for_threads_and_uninstall():
    done = run_program("""
        import klendathu, threading
        uninstall = klendathu.install(instructions="eval 6 * 7")
        thread = threading.Thread(target=lambda: 1 / 0)
        thread.start()
        thread.join()
        uninstall()
        print("end")
        exit(5)
    """)
    assert done.returncode == 5 and done.stdout == "end\n"
    assert "ZeroDivisionError" in done.stderr and '"42"' in done.stderr
