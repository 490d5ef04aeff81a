"""Runs the agent against a server of this process."""

from __future__ import annotations

import os
import platform
from typing import Any, Literal, Protocol

from .._wire import PROTOCOL_VERSION, ContextEntry, ErrorSummary, Findings, ImplementInput, InvestigateInput, StackFrame
from ..mcp.server import DebugServer
from ..mcp.target import Target
from ..mcp.tools import Implementation, Tools
from .find import find_command
from .options import Options
from .process import End, now, run_cli
from .run import Control

# Seconds before the time-out at which the CLI ends its own run, so that it can report its summary.
MARGIN = 2.0


class Described(Protocol):
    """What the input of the CLI says about a failure."""

    @property
    def call_stack(self) -> list[StackFrame]: ...
    @property
    def context(self) -> list[ContextEntry]: ...
    @property
    def summary(self) -> ErrorSummary | None: ...
    @property
    def fingerprint(self) -> str: ...


def runtime() -> str:
    """Such as `python 3.11.7`."""
    return f"{platform.python_implementation().lower().replace('cpython', 'python')} {platform.python_version()}"


def _input(target: Any, server: DebugServer, options: Options, remaining: float) -> InvestigateInput:
    message: InvestigateInput = {
        "mode": "investigate",
        "mcpUrl": server.url,
        "mcpToken": server.token,
        "callStack": target.call_stack,
        "context": target.context,
        "timestamp": now(),
        "pid": os.getpid(),
        "protocol": PROTOCOL_VERSION,
        "language": "python",
        "runtime": runtime(),
        "projectRoot": options.folder,
        "access": options.access,
        "timeoutMs": max(1, int((remaining - min(MARGIN, remaining / 10)) * 1000)),
        "fingerprint": target.fingerprint,
    }
    summary = target.summary
    if summary is not None:
        message["error"] = summary
    if options.instructions:
        message["extraInstructions"] = target.redactor.mask(options.instructions)
    if options.model:
        message["model"] = options.model
    if options.budget:
        message["budget"] = options.budget
    return message


def run_agent(
    target: Target,
    options: Options,
    control: Control,
    *,
    task: tuple[str, dict[str, Any]] | None = None,
    implementation: Implementation | None = None,
) -> tuple[End, Findings | None]:
    """The end of the CLI, and what the agent reported here. `task`: prompt and schema of an implementation.

    Raises `KlendathuError` `cli-missing` or `node-missing`.
    """
    command = find_command(options.cli_path, options.folder)
    found: list[Findings] = []
    tools = Tools(
        target,
        access=options.access,
        eval_timeout=options.eval_timeout,
        max_evals=(options.budget or {}).get("evals"),
        on_report=found.append,
        implementation=implementation,
    )
    control.check()
    server = DebugServer(target, tools)
    try:
        message: InvestigateInput | ImplementInput = _input(target, server, options, control.remaining())
        if task is not None:
            mode: Literal["implement"] = "implement"
            message = {**message, "mode": mode, "prompt": target.redactor.mask(task[0]), "schema": task[1]}
        end = run_cli(command, message, control)
    finally:
        server.close()
    control.check()
    return end, found[-1] if found else None
