"""The one exception of the package."""

from __future__ import annotations

from ._wire import FailureCode


class KlendathuError(Exception):
    """Why there is no report or no result.

    `code` is one of `FAILURE_CODES`. `hint` says what the user can do, or is empty. `__cause__` is the error that was
    investigated, if there is one.
    """

    def __init__(self, code: FailureCode, message: str, hint: str = "") -> None:
        super().__init__(f"{message} {hint}" if hint else message)
        self.code: FailureCode = code
        self.message = message
        self.hint = hint
