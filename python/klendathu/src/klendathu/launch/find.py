"""Finds the CLI and a Node.js that runs it, and chooses the variables that it gets."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .._wire import CHILD_NAMES, CHILD_PATTERN
from ..errors import KlendathuError

NAME = "klendathu-cli"
NODE_MAJOR = 24
_PATTERN = re.compile(CHILD_PATTERN)


@dataclass
class Command:
    """A program with its first arguments, its variables and its working folder."""

    words: list[str]
    folder: str
    env: dict[str, str] = field(repr=False)


def child_environment() -> dict[str, str]:
    """Keys of providers, proxies, `KLAUS_*`, `PATH` and `HOME`. All other variables stay in the program."""
    return {
        name: value
        for name, value in os.environ.items()
        if name.upper() in CHILD_NAMES or _PATTERN.match(name)
    }


def find_command(cli_path: str | os.PathLike[str] | None, project_root: str) -> Command:
    """Raises `KlendathuError` with `cli-missing` or `node-missing`."""
    path = _find_cli(cli_path, project_root)
    words = [str(path)]
    if _needs_node(path):
        words.insert(0, _find_node(path))
    return Command(words, project_root, child_environment())


def _find_cli(cli_path: str | os.PathLike[str] | None, project_root: str) -> Path:
    given = cli_path or os.environ.get("KLENDATHU_CLI")
    if given:
        path = Path(given).absolute()
        if path.is_file():
            return path.resolve()
        name = "variable KLENDATHU_CLI" if cli_path is None else "option cli_path"
        raise KlendathuError("cli-missing", f"The program {path} does not exist.", f"Correct the {name}.")
    found = shutil.which(NAME)
    if found is not None:
        return Path(found).resolve()
    start = Path(project_root).absolute()
    for folder in (start, *start.parents):
        path = folder / "node_modules" / ".bin" / NAME
        if path.is_file():
            return path.resolve()
    raise KlendathuError(
        "cli-missing",
        f"The program {NAME} was not found.",
        f"Install it: npm install --global {NAME}; or set KLENDATHU_CLI to its path.",
    )


def _needs_node(path: Path) -> bool:
    if path.suffix in (".js", ".mjs", ".cjs", ".ts", ".mts"):
        return True
    with path.open("rb") as file:
        head = file.readline(200)
    return head.startswith(b"#!") and re.search(rb"\bnode\b", head) is not None


def _candidates(cli: Path) -> Iterator[str]:
    own = os.environ.get("KLENDATHU_NODE")
    if own:
        yield own
    for folder in cli.parents:
        yield str(folder / "node_modules" / ".bin" / "node")
        yield str(folder / ".bin" / "node")
    for part in os.environ.get("PATH", "").split(os.pathsep):
        found = shutil.which("node", path=part) if part else None
        if found:
            yield found


def _find_node(cli: Path) -> str:
    versions: list[str] = []
    for candidate in _candidates(cli):
        version = _version_of(candidate) if os.path.isfile(candidate) else None
        if version is None:
            continue
        if int(version.split(".")[0]) >= NODE_MAJOR:
            return candidate
        versions.append(version)
    found = f"only {versions[0]} was found" if versions else "none was found"
    raise KlendathuError(
        "node-missing",
        f"The agent needs Node.js {NODE_MAJOR} or newer, and {found}.",
        "Install it, or set KLENDATHU_NODE to its path.",
    )


def _version_of(node: str) -> str | None:
    try:
        done = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=10, env=child_environment())
    except (OSError, subprocess.SubprocessError, UnicodeError):
        return None
    match = re.match(r"v(\d+\.\d+\.\d+)", done.stdout.strip())
    return match[1] if match and done.returncode == 0 else None
