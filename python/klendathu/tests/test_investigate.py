import asyncio
import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest
from conftest import SCRIPTED_CLI

import klendathu
from klendathu import ContextItem, KlendathuError, investigate
from klendathu.inspect import console


@pytest.fixture
def error(catch):
    def failing(order):
        wanted = "price"
        return order[wanted]

    return catch(failing, {"id": 7})


def code_of(run):
    with pytest.raises(KlendathuError) as caught:
        run.result()
    assert run.summary.result()["turns"] >= 0
    return caught.value.code


def test_report(error):
    findings = {
        "text": "It is missing.",
        "rootCause": {"file": "a.py", "line": 3, "explanation": "no price", "confidence": 0.9},
        "evidence": [{"source": "order", "finding": "{'id': 7}"}],
        "fix": {"unifiedDiff": "--- a", "risk": "low"},
    }
    run = investigate(error, instructions=f"eval 1\nreport {json.dumps(findings)}")
    report = run.result()
    assert isinstance(report, str) and report == "It is missing." and f"{report}!" == "It is missing.!"
    assert report.root_cause == findings["rootCause"]
    assert report.evidence == findings["evidence"] and report.fix == findings["fix"]
    assert report.stats["toolCallsCount"] == 1
    assert [m["type"] for m in run.stderr] == ["server_started", "tool_call", "tool_result", "turn", "summary"]
    assert [m["type"] for m in run.stderr][-1] == "summary"
    assert list(run.events) == []
    assert run.summary.result()["finishReason"] == "completed"


def test_input_of_the_cli(error):
    context = {"user": ContextItem({"name": "Ann"}, "who orders"), "n": 1}
    run = investigate(error, context=context, instructions="input", model="haiku", budget={"usd": 1, "evals": 2})
    given = json.loads(run.result())
    assert given["mode"] == "investigate" and given["protocol"] == 1 and given["pid"] == os.getpid()
    assert given["language"] == "python" and given["runtime"].startswith("python 3.")
    assert given["error"]["name"] == "KeyError" and "failing" in given["error"]["stack"]
    assert given["callStack"][0]["functionName"].endswith("failing") and given["callStack"][0]["hasLocals"]
    assert {"name": "user", "type": "dict", "description": "who orders"} in given["context"]
    assert given["model"] == "haiku" and given["budget"] == {"usd": 1, "evals": 2} and given["access"] == "read"
    assert given["timeoutMs"] < 300_000 and len(given["fingerprint"]) == 16


def test_variables_are_those_of_the_moment_of_the_error(error):
    report = investigate({"error": error, "extra": 5}, instructions="locals 0\neval extra + 1").result()
    assert '"wanted"' in report and "'price'" in report and '"6"' in report


def test_await_and_iterate(error):
    async def main():
        run = investigate(error, instructions="eval 1 + 1\ngarbage")
        seen = [message["type"] async for message in run.stderr]
        assert seen.count("log") == 3 and seen[-1] == "summary"
        assert '"2"' in await run
        assert (await run.summary)["turns"] == 1
        # In a loop without await: the loop waits, and evaluated code uses its own.
        blocked = investigate(error, instructions="eval import asyncio; await asyncio.sleep(0, 5)", access="full")
        assert '"5"' in blocked.result()

    asyncio.run(main())


def test_cancelled_task_cancels_the_run(error):
    async def main():
        run = investigate(error, instructions="hang")
        task = asyncio.ensure_future(run._wait())
        async for message in run.stderr:
            if message.get("message") == "ready":
                task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await run.summary)["finishReason"] == "cancelled"

    asyncio.run(main())


def test_from_threads(error):
    found = []
    run = lambda n: found.append(investigate(error, instructions=f"eval {n}").result())  # noqa: E731
    threads = [threading.Thread(target=run, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 4


@pytest.mark.parametrize(
    ("code", "instructions"),
    [("cli-died", "die"), ("auth", "exit 3"), ("cli-died", "exit 77"), ("limit", "fail limit"), ("auth", "fail auth")],
)
def test_failures_of_the_cli(code, instructions, error):
    run = investigate(error, instructions=instructions)
    with pytest.raises(KlendathuError) as caught:
        run.result()
    assert caught.value.code in (code, "cli-died" if instructions == "exit 3" else code)
    assert caught.value.__cause__ is error
    if instructions.startswith("fail"):
        assert caught.value.hint == "Do something."
    assert run.summary.result()["turns"] in (0, 1)


def test_time_out_and_cancel(error):
    assert code_of(investigate(error, instructions="hang", timeout=0.5)) == "timeout"
    run = investigate(error, instructions="hang", timeout=30)
    for message in run.stderr:
        if message.get("message") == "ready":
            run.cancel()
    assert code_of(run) == "cancelled"
    run.cancel()
    run = investigate(error, instructions="hang")
    with pytest.raises(TimeoutError):
        run.result(timeout=0.01)
    run.cancel()
    run.summary.result()


def test_invalid_options(error):
    for options in ({"timeout": 0}, {"mode": "x"}, {"access": "x"}, {"budget": {"usd": -1}}, {"unknown": 1}):
        assert code_of(investigate(error, **options)) == "input"
    assert code_of(investigate(5)) == "input"


def test_missing_programs(error, monkeypatch, tmp_path):
    assert code_of(investigate(error, cli_path=tmp_path / "no")) == "cli-missing"
    monkeypatch.setenv("KLENDATHU_CLI", "")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert code_of(investigate(error, project_root=tmp_path)) == "cli-missing"
    script = tmp_path / "node_modules" / ".bin" / "klendathu-cli"
    script.parent.mkdir(parents=True)
    script.write_text("#!/usr/bin/env node\n")
    (tmp_path / "inner").mkdir()
    assert code_of(investigate(error, project_root=tmp_path / "inner")) == "node-missing"
    old = tmp_path / "node"
    old.write_text("#!/bin/sh\necho v18.0.0\n")
    old.chmod(0o755)
    with pytest.raises(KlendathuError, match="18.0.0") as caught:
        investigate(error, project_root=tmp_path, dedupe=False).result()
    assert caught.value.code == "node-missing" and "\n" not in str(caught.value)
    old.write_text(f"#!/bin/sh\n[ $1 = --version ] && echo v24.1.0 && exit\nexec {sys.executable} {SCRIPTED_CLI}\n")
    assert investigate(error, project_root=tmp_path, instructions="eval 4").result()


def test_environment_of_the_cli(error, monkeypatch):
    monkeypatch.setenv("MY_SECRET", "value")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key-123456")
    names = json.loads(investigate(error, instructions="environment").result())
    assert "ANTHROPIC_API_KEY" in names and "PATH" in names and "MY_SECRET" not in names


def test_equal_failures_share_a_report(error, catch):
    def failing(key):
        return {}[key]

    first = investigate(catch(failing, "a"), instructions="eval 1").result()
    second = investigate(catch(failing, "a"), instructions="eval 1")
    assert second.result() == first and second.result().occurrences == 2
    # Other values have another answer, unless the caller does not mind.
    assert investigate(catch(failing, "b"), instructions="eval 1").result().occurrences == 1
    storm = {"instructions": "eval 2", "dedupe": "fingerprint"}
    assert investigate(catch(failing, "a"), **storm).result().occurrences == 1
    assert investigate(catch(failing, "b"), **storm).result().occurrences == 2
    assert investigate(catch(failing, "a"), instructions="eval 1", dedupe=False).result().occurrences == 1
    assert code_of(investigate(catch(failing, "a"), instructions="die")) == "cli-died"
    assert code_of(investigate(catch(failing, "a"), instructions="die")) == "cli-died"


def test_nothing_remains(error):
    stdout, threads = sys.stdout, threading.active_count()
    run = investigate(error, instructions="eval 1")
    run.result()
    run.summary.result()
    assert sys.stdout is stdout and not console._captures
    for thread in threading.enumerate():
        if thread.name.startswith("klendathu"):
            thread.join(5)
    assert threading.active_count() <= threads + 1


def test_the_cli_ends_with_the_program(tmp_path):
    program = textwrap.dedent("""
        import klendathu
        run = klendathu.investigate(ValueError("x"), instructions="hang")
        for message in run.stderr:
            if message.get("message") == "ready":
                break
        import klendathu.launch.process as process
        print(next(iter(process._running)).pid, flush=True)
    """)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    with pytest.raises(ProcessLookupError):
        for _ in range(1000):
            os.killpg(int(done.stdout), signal.SIGKILL)
            time.sleep(0.01)


def test_import_is_light():
    code = "import sys, klendathu; print([m for m in ('http.server', 'ctypes', 'asyncio.base_events') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert "http.server" not in done.stdout and "ctypes" not in done.stdout
    assert klendathu.__all__
