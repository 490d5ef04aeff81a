"""What an investigation found."""

from __future__ import annotations

import json
from typing import Any

from .._wire import Evidence, Findings, Fix, ReportData, ReportDataStats, RootCause, SummaryMessage
from ..errors import KlendathuError
from .process import End, to_failure

Stats = ReportDataStats


def to_stats(summary: SummaryMessage) -> Stats:
    """The statistics without the fields of a message."""
    stats: Any = {name: value for name, value in summary.items() if name not in ("type", "timestamp")}
    result: Stats = stats
    return result


def failed_stats(error: BaseException | None) -> Stats:
    code = error.code if isinstance(error, KlendathuError) else "error"
    reason = code if code in ("cancelled", "timeout", "limit") else "error"
    if error is None:
        return {"turns": 0, "cost": 0, "finishReason": "completed"}
    return {"turns": 0, "cost": 0, "finishReason": reason, "warnings": [str(error)[:1000]]}


class Report(str):
    """The answer in prose, as Markdown: a `str`. `fix` is a patch that is not applied.

    `record` is the file of the record, if one was written. `occurrences` counts the failures with the same fingerprint
    in this process, this one included.
    """

    root_cause: RootCause | None
    evidence: list[Evidence]
    fix: Fix | None
    stats: Stats
    record: str | None
    occurrences: int

    def __new__(cls, data: ReportData, *, record: str | None = None, occurrences: int = 1) -> Report:
        report = super().__new__(cls, data["text"])
        report.root_cause = data.get("rootCause")
        report.evidence = list(data.get("evidence", []))
        report.fix = data.get("fix")
        report.stats = data["stats"]
        report.record = record
        report.occurrences = occurrences
        return report

    @property
    def text(self) -> str:
        """The answer as an exact `str`."""
        return str.__str__(self)

    def to_data(self) -> ReportData:
        """The report as `klendathu-cli --json` prints it."""
        data: ReportData = {"text": self.text, "evidence": self.evidence, "stats": self.stats}
        if self.root_cause is not None:
            data["rootCause"] = self.root_cause
        if self.fix is not None:
            data["fix"] = self.fix
        return data


def read_report(end: End, findings: Findings | None) -> Report:
    """The report that the CLI printed; else the findings that the agent reported here, else the printed text.

    Raises `KlendathuError` with the failure of the CLI.
    """
    if end.code != 0:
        raise to_failure(end)
    stats = failed_stats(None) if end.summary is None else to_stats(end.summary)
    try:
        data = json.loads(end.output)
    except (ValueError, RecursionError):
        data = None
    if isinstance(data, dict) and isinstance(data.get("text"), str):
        data.setdefault("stats", stats)
        return Report(data)  # type: ignore[arg-type]
    if findings is not None:
        return Report({**findings, "stats": stats})
    if end.output.strip():
        # A CLI of the first contract prints the text alone.
        return Report({"text": end.output.strip(), "evidence": [], "stats": stats})
    raise KlendathuError(
        "cli-outdated",
        "The agent ended without a report that this version can read.",
        "Install versions of klendathu and klendathu-cli that belong together.",
    )
