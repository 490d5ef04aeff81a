"""Which files hold credentials by their name: the rules of Klaus for files of a project."""

from __future__ import annotations

import json
import re

from ..._secret_rules import FILES_JSON

_RULES = json.loads(FILES_JSON)
_EXAMPLE = rf"(?![^/]*{_RULES['publicEnv']})"


def _any(texts: list[str]) -> str:
    return "|".join(map(re.escape, texts))


_ENVIRONMENT = (
    rf"\.env(?:[._-][^/]*)?$|\.dev\.vars(?:\.[^/]*)?$|[^/]*\.kubeconfig$|(?!(?:example|sample|template|defaults?)\.env$)[^/]*\.env$"
)
_CREDENTIALS = (
    rf"(?:^|/)(?:{_any(_RULES['names'])}|{_any(_RULES['tails'])}|[^/]*{_RULES['endings']}"
    r"|(?:service[-_]?account[^/]*|[^/]*-credentials|[^/]*_credentials|[^/]*firebase-adminsdk[^/]*)\.json)$"
    r"|(?:^|/)\.(?:ssh|gnupg)/(?:[^/]*/)*(?!config$)[^/]+$"
)
# Both on a path in lower case; PUBLIC on its last part, an exception of the second.
ENVIRONMENT = re.compile(rf"(?:^|/){_EXAMPLE}(?:{_ENVIRONMENT})")
CREDENTIALS = re.compile(_CREDENTIALS)
PUBLIC = re.compile(_RULES["publicKey"])


def is_secret_file(path: str) -> bool:
    """True for a path with forward slashes; the more of its folders it has, the more is known."""
    lower = path.lower().rstrip(". ")
    if ENVIRONMENT.search(lower):
        return True
    return CREDENTIALS.search(lower) is not None and not PUBLIC.search(lower.rpartition("/")[2])
