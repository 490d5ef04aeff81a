"""The tools of the server: arguments in, one JSON object out."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .._wire import DEBUG_TOOLS_JSON, IMPLEMENT_TOOLS_JSON, Findings
from ..inspect.snippet import EvalFailed
from ..inspect.syntax import Refused
from ..launch.validate import problems
from .target import Target

MAX_TIMEOUT = 60.0


class ToolFailed(Exception):
    """The result of the tool is an error. The message is for the agent."""


@dataclass
class Implementation:
    """The end of an implementation. `validate` returns the reasons why a value is refused."""

    validate: Callable[[Any], list[str]]
    on_result: Callable[[Any], None]
    on_refused: Callable[[str], None]
    attempts: int = 5


class Tools:
    """All calls of one investigation. `eval_timeout` in seconds; `max_evals` None: no limit."""

    def __init__(
        self,
        target: Target,
        *,
        access: str = "read",
        eval_timeout: float = 5.0,
        max_evals: int | None = None,
        on_report: Callable[[Findings], None] | None = None,
        implementation: Implementation | None = None,
    ) -> None:
        self._target = target
        self._access = access
        self._timeout = min(eval_timeout, MAX_TIMEOUT)
        self._left = max_evals
        self._on_report = on_report
        self._implementation = implementation
        self._lock = threading.Lock()
        tools = json.loads(DEBUG_TOOLS_JSON)
        if implementation is not None:
            tools = [tool for tool in tools if tool["name"] != "report"] + json.loads(IMPLEMENT_TOOLS_JSON)
        self.listed: list[dict[str, Any]] = tools

    def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Raises `KeyError` for an unknown tool, and `ToolFailed`."""
        tool = next((tool for tool in self.listed if tool["name"] == name), None)
        if tool is None:
            raise KeyError(name)
        wrong = problems(arguments, tool["inputSchema"])
        if wrong:
            raise ToolFailed("Invalid arguments: " + "; ".join(wrong[:5]))
        try:
            result: dict[str, Any] = getattr(self, f"_{name}")(**arguments)
            return result
        except (EvalFailed, Refused, LookupError) as error:
            text = str(error.args[0]) if error.args else type(error).__name__
            raise ToolFailed(self._target.redactor.mask(text)) from None

    def _eval(
        self, code: str, frame: int | None = None, readOnly: bool = True, timeoutMs: int | None = None
    ) -> dict[str, Any]:
        with self._lock:
            if self._left is not None:
                if self._left <= 0:
                    raise ToolFailed("The limit of evaluations is reached. Use `locals` and `source`, or report.")
                self._left -= 1
        read_only = self._access != "full" or readOnly
        timeout = self._timeout if timeoutMs is None else min(timeoutMs / 1000, MAX_TIMEOUT)
        return self._target.evaluate(code, frame=frame, read_only=read_only, timeout=timeout)

    def _frames(self) -> dict[str, Any]:
        return {"frames": self._target.call_stack}

    def _locals(self, frame: int, path: str | None = None, depth: int = 2) -> dict[str, Any]:
        return {"values": self._target.locals(frame, path, depth)}

    def _source(self, file: str, line: int, around: int = 10) -> dict[str, Any]:
        path, first, text = self._target.source(file, line, around)
        return {"file": path, "first": first, "text": text}

    def _console(self, since: int = 0) -> dict[str, Any]:
        mask = self._target.redactor.mask
        return {"entries": [{**e, "text": mask(e["text"])} for e in self._target.console.since(since)[-100:]]}

    def _report(self, **findings: Any) -> dict[str, Any]:
        report: Findings = {"text": findings["text"], "evidence": findings.get("evidence", [])}
        if "rootCause" in findings:
            report["rootCause"] = findings["rootCause"]
        if "fix" in findings:
            report["fix"] = findings["fix"]
        if self._on_report is not None:
            self._on_report(report)
        return {"accepted": True}

    def _set_result(self, result: Any = None) -> dict[str, Any]:
        assert self._implementation is not None
        with self._lock:
            if self._implementation.attempts <= 0:
                raise ToolFailed("No attempt is left. Call `fail_implementation` with the reason.")
            self._implementation.attempts -= 1
            left = self._implementation.attempts
        errors = self._implementation.validate(result)
        if errors:
            return {"accepted": False, "errors": [str(error)[:1000] for error in errors[:20]], "attemptsLeft": left}
        self._implementation.on_result(result)
        return {"accepted": True}

    def _fail_implementation(self, reason: str) -> dict[str, Any]:
        assert self._implementation is not None
        self._implementation.on_refused(reason)
        return {"accepted": True}
