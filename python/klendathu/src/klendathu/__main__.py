"""`python -m klendathu investigate RECORD`"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from ._wire import FAILURE_CODES
from .errors import KlendathuError
from .launch.agent import run_agent
from .launch.options import make_options
from .launch.record import RecordTarget, read_record
from .launch.report import Report, read_report
from .launch.run import Run


def investigate_record(path: str, **values: object) -> Run[Report]:
    """The report on a failure that was recorded. Options are those of `investigate`. Raises `KlendathuError` `input`."""
    record = read_record(path)
    options = make_options({"project_root": record["projectRoot"], **values})
    target = RecordTarget(record)
    return Run(lambda control: read_report(*run_agent(target, options, control)), subject=None, timeout=options.timeout)


def main(words: Sequence[str] | None = None) -> int:
    """Returns 0, or the exit code of `FAILURE_CODES`."""
    parser = argparse.ArgumentParser(prog="klendathu", description="Investigates failures that were recorded.")
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("investigate", help="investigate a record")
    command.add_argument("record", help="file of the record")
    command.add_argument("--json", action="store_true", help="print the report as one JSON object")
    command.add_argument("--model", help="provider/id, or a tier")
    command.add_argument("--instructions", help="more instructions for the agent")
    command.add_argument("--timeout", type=float, default=300.0, help="seconds (default 300)")
    given = parser.parse_args(words)
    try:
        run = investigate_record(
            given.record, model=given.model, instructions=given.instructions, timeout=given.timeout
        )
        report = run.result()
    except KlendathuError as error:
        print(f"klendathu: {error}", file=sys.stderr)
        return FAILURE_CODES[error.code]
    except KeyboardInterrupt:
        return FAILURE_CODES["cancelled"]
    print(json.dumps(report.to_data()) if given.json else report.text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
