import os
import sys
from pathlib import Path

import pytest

from klendathu import investigation
from klendathu.inspect.wall import landlock
from klendathu.mcp.target import Target
from klendathu.mcp.tools import Tools

FIXTURES = Path(__file__).parent / "fixtures"
SCRIPTED_CLI = FIXTURES / "scripted_cli.py"

# All of a long suite, as its own command.
COMPLETE = os.environ.get("KLENDATHU_COMPLETE") == "1"


@pytest.fixture(scope="session")
def cli(tmp_path_factory):
    """The scripted CLI as a program."""
    path = tmp_path_factory.mktemp("cli") / "klendathu-cli"
    path.write_text(f"#!{sys.executable} -SE\n{SCRIPTED_CLI.read_text()}")
    path.chmod(0o755)
    return path


@pytest.fixture(autouse=True)
def _environment(monkeypatch, cli):
    monkeypatch.setenv("KLENDATHU_CLI", str(cli))
    monkeypatch.delenv("KLENDATHU_MODE", raising=False)
    investigation._shared.clear()


@pytest.fixture
def catch():
    """The error that a function raises."""

    def run(function, *arguments):
        try:
            function(*arguments)
        except BaseException as error:
            return error
        raise AssertionError("the function raised nothing")

    return run


@pytest.fixture
def tools_for():
    def make(error=None, context=None, **options):
        target_options = {k: options.pop(k) for k in ("isolated", "redactor", "locals", "project_root") if k in options}
        if target_options.get("isolated") is False or landlock.version() == 0:
            target_options["isolation"] = "optional"
        return Tools(Target(error, context or {}, {}, **target_options), **options)

    return make
