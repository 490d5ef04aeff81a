"""Options of `investigate` and `implement`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from .._wire import Budget
from ..errors import KlendathuError

Access = Literal["read", "full"]
Mode = Literal["auto", "live", "frozen", "record"]
MODES = ("auto", "live", "frozen", "record")
Isolation = Literal["required", "optional"]
ISOLATIONS = ("required", "optional")

if TYPE_CHECKING:
    # Known to every type checker; not needed to run.
    from typing_extensions import Unpack as Unpack


class RunOptions(TypedDict, total=False):
    """Options of every run."""

    instructions: str | None
    access: Access
    isolation: Isolation | None
    eval_timeout: float
    timeout: float
    budget: Budget | None
    redact: Iterable[str | re.Pattern[str]]
    model: str | None
    cli_path: str | os.PathLike[str] | None
    project_root: str | os.PathLike[str] | None


class InvestigateOptions(RunOptions, total=False):
    """Options of `investigate` and of the hooks."""

    context: Mapping[str, Any] | None
    mode: Mode | None
    locals: bool
    dedupe: bool | Literal["fingerprint"]
    records_folder: str | os.PathLike[str] | None


class ImplementOptions(RunOptions, total=False):
    """Options of `implement`."""

    attempts: int
    cache: bool
    cache_folder: str | os.PathLike[str] | None


@dataclass
class Options:
    """Checked options. Times are in seconds. Raises `KlendathuError` `input` for an invalid value."""

    context: Mapping[str, Any] | None = None
    instructions: str | None = None
    mode: Mode | None = None
    access: Access = "read"
    isolation: Isolation | None = None
    eval_timeout: float = 5.0
    timeout: float = 300.0
    budget: Budget | None = None
    locals: bool = True
    redact: Iterable[str | re.Pattern[str]] = ()
    dedupe: bool | Literal["fingerprint"] = True
    model: str | None = None
    cli_path: str | os.PathLike[str] | None = None
    project_root: str | os.PathLike[str] | None = None
    records_folder: str | os.PathLike[str] | None = None
    attempts: int = 5
    cache: bool = False
    cache_folder: str | os.PathLike[str] | None = None

    def __post_init__(self) -> None:
        self.redact = list(self.redact)
        if self.mode is not None and self.mode not in MODES:
            _refuse("mode", self.mode, ", ".join(MODES))
        if self.access not in ("read", "full"):
            _refuse("access", self.access, "read, full")
        if self.isolation is not None and self.isolation not in ISOLATIONS:
            _refuse("isolation", self.isolation, ", ".join(ISOLATIONS))
        limits: dict[str, Any] = {"timeout": self.timeout, "eval_timeout": self.eval_timeout, "attempts": self.attempts, **(self.budget or {})}
        for name, value in limits.items():
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if not is_number or not (value > 0 or (name == "evals" and value == 0)):
                _refuse(name, value, "a positive number")

    @property
    def folder(self) -> str:
        """The project, absolute."""
        return os.path.abspath(self.project_root or os.getcwd())

    def resolve_isolation(self) -> str:
        """`KLENDATHU_ISOLATION` where the option is not given, else `required`."""
        isolation = self.isolation or os.environ.get("KLENDATHU_ISOLATION") or "required"
        if isolation not in ISOLATIONS:
            _refuse("KLENDATHU_ISOLATION", isolation, ", ".join(ISOLATIONS))
        return isolation

    def resolve_mode(self) -> Literal["live", "frozen", "record"]:
        """The mode without `auto`: `record` if `KLENDATHU_ENV` or `PYTHON_ENV` is `production`, else `live`."""
        mode = self.mode or os.environ.get("KLENDATHU_MODE") or "auto"
        if mode not in MODES:
            _refuse("KLENDATHU_MODE", mode, ", ".join(MODES))
        for known in ("live", "frozen", "record"):
            if mode == known:
                return known
        production = "production" in (os.environ.get("KLENDATHU_ENV"), os.environ.get("PYTHON_ENV"))
        return "record" if production else "live"


def _refuse(name: str, value: Any, expected: str) -> None:
    shown = f"{value!r}"[:100]
    raise KlendathuError("input", f"The option {name} has the value {shown}.", f"Expected: {expected}.")


def make_options(values: Mapping[str, Any]) -> Options:
    """Raises `KlendathuError` `input` also for an unknown option."""
    try:
        return Options(**values)
    except TypeError as error:
        raise KlendathuError("input", str(error)) from None
