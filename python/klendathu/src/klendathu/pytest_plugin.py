"""`pytest --klendathu`: investigates tests that fail, while their variables are still there.

The outcome of the tests and the exit code are those of the undisturbed run.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Generator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from .errors import KlendathuError
from .investigation import start
from .launch.report import Report

FOLDER = Path(".klendathu") / "reports"
TRANSCRIPTS = "KLENDATHU_TRANSCRIPTS"
_SECTION = "klendathu"
# A field of a test report, which also comes from the processes of pytest-xdist.
_LINE = "klendathu_line"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("klendathu", "investigation of failures")
    group.addoption("--klendathu", action="store_true", help="ask an agent why a test failed")
    group.addoption("--klendathu-timeout", type=float, default=180.0, help="seconds for one failure (default 180)")
    group.addoption("--klendathu-max", type=int, default=10, help="failures that are investigated, in each process of pytest-xdist (default 10)")
    group.addoption("--klendathu-model", default=None, help="provider/id, or a tier")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--klendathu"):
        stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
        # The CLI writes the transcripts of its sessions there.
        os.environ.setdefault(TRANSCRIPTS, os.path.join(tempfile.gettempdir(), f"klendathu-test-{stamp}"))
        config.pluginmanager.register(_Plugin(config), "klendathu-reports")


class _Plugin:
    def __init__(self, config: pytest.Config) -> None:
        self._root = config.rootpath
        self._left: int = config.getoption("--klendathu-max")
        self._options: Any = {
            "timeout": config.getoption("--klendathu-timeout"),
            "model": config.getoption("--klendathu-model"),
            "project_root": str(config.rootpath),
        }
        self._lines: list[str] = []

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[Any]) -> Generator[None, Any, None]:
        outcome = yield
        report: pytest.TestReport = outcome.get_result()
        error = call.excinfo.value if call.excinfo is not None else None
        if not report.failed or not isinstance(error, Exception) or hasattr(report, "wasxfail"):
            return
        if self._left <= 0:
            setattr(report, _LINE, f"{item.nodeid}: not investigated, the limit of --klendathu-max is reached")
            return
        self._left -= 1
        instructions = f"The error was raised in the {report.when} phase of the pytest test {item.nodeid}."
        options = {**self._options, "instructions": instructions}
        # Not the wait for the agent, but the reason in `call.excinfo` decides how the test is reported.
        try:
            found = start({"error": error}, options, None).result()
        except KlendathuError as failure:
            report.sections.append((_SECTION, f"no report: {failure}"))
            setattr(report, _LINE, f"{item.nodeid}: no report: {failure}")
            return
        path = self._write(item.nodeid, found)
        report.sections.append((_SECTION, found.text))
        item.user_properties.append(("klendathu", str(path)))
        setattr(report, _LINE, f"{item.nodeid}: {path}")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        line = getattr(report, _LINE, None)
        if line is not None:
            self._lines.append(line)

    def _write(self, nodeid: str, found: Report) -> Path:
        """The report as Markdown, and as JSON beside it."""
        name = re.sub(r"[^\w.-]+", "-", nodeid).strip("-.")[-120:]
        folder = self._root / FOLDER
        folder.mkdir(parents=True, exist_ok=True)
        (folder.parent / ".gitignore").write_text("*\n", encoding="ascii")
        (folder / f"{name}.json").write_text(json.dumps(found.to_data(), indent=2), encoding="utf-8")
        path = folder / f"{name}.md"
        path.write_text(f"{found.text}\n", encoding="utf-8")
        return path

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self._lines:
            terminalreporter.section("klendathu")
            for line in self._lines:
                terminalreporter.line(line)
