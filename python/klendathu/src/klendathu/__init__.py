"""Asks a failing program what happened, from inside it.

    try:
        run()
    except Exception as error:
        print(klendathu.investigate(error).result())
"""

from ._wire import Budget, Evidence, Fix, RootCause, StatusMessage
from .errors import KlendathuError
from .hooks import install, investigating, watch
from .implementation import implement
from .investigation import Investigation, investigate
from .items import ContextCallable, ContextItem
from .launch.report import Report
from .launch.run import Run

__all__ = [
    "Budget",
    "ContextCallable",
    "ContextItem",
    "Evidence",
    "Fix",
    "Investigation",
    "KlendathuError",
    "Report",
    "RootCause",
    "Run",
    "StatusMessage",
    "implement",
    "install",
    "investigate",
    "investigating",
    "watch",
]
