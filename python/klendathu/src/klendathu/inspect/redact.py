"""Masks secrets before a text leaves the process."""

from __future__ import annotations

import base64
import collections
import hashlib
import json
import math
import os
import re
import urllib.parse
from collections.abc import Iterable, Mapping
from typing import Any

from .._secret_rules import RULES_JSON
from . import shape
from .secret_names import is_secret

_SALT = os.urandom(8)
# A text with this many consecutive characters of a known random secret reveals a part of it.
_PART = 6
_MAX_TEXT = 200_000
MAX_OBJECTS = 5000
MAX_SECRETS = 500
_ASSIGN = r"""(?<![\w.-])(?P<key>[A-Za-z_][\w.-]{0,60})(?:\\{0,4}["'])?\]?\s{0,9}(?::|=>|=)\s{0,9}"""
_KEYED = re.compile(
    _ASSIGN + r"""(?:\\{0,4}["'])?(?:(?:Bearer|Basic|Token|ApiKey)\s{1,9})?(?:\\{0,4}["'])?(?P<value>[^\s"',;&)}\]\\]{4,})"""
)
_QUOTED = re.compile(_ASSIGN + r"""(?P<quote>["'])(?P<value>(?:(?!(?P=quote))[^\\\n]|\\.){3,2000})(?P=quote)""")
_URL = re.compile(r"(?<![\w+.-])[a-zA-Z][\w+.-]{0,30}://[^\s/@:'\"]{0,200}:(?P<value>[^\s/@'\"]+)@")
_HEADER = re.compile(r"\b(?:Bearer|Basic)\s+(?P<value>[A-Za-z0-9+/=._~-]{8,})", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"\[secret:[\w-]+:[0-9a-f]{8}\]")
_HARMLESS = re.compile(r"^(?:true|false|null|none|undefined|str|int|bytes|os\.environ.*|[<{$(\[].*|\.\.\.)$", re.IGNORECASE)


def placeholder(rule: str, value: str) -> str:
    """`[secret:RULE:1a2b3c4d]`; the digits are equal for equal values of one process."""
    digest = hashlib.sha256(_SALT + value.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"[secret:{rule}:{digest}]"


class _Rule:
    def __init__(self, row: list[Any]) -> None:
        self.name, self._source, flags, self.keywords, self.group, self.entropy = row
        self._flags = re.IGNORECASE if "i" in flags else 0
        self._compiled: re.Pattern[str] | None = None

    def find(self, text: str) -> Iterable[tuple[int, int]]:
        if self._compiled is None:
            self._compiled = re.compile(self._source, self._flags | re.ASCII)
        named = "value" if "value" in self._compiled.groupindex else None
        for match in self._compiled.finditer(text):
            group: int | str = named or self.group or (match.lastindex and 1) or 0
            if match.group(group) and (not self.entropy or _entropy(match.group(group)) > self.entropy):
                yield match.span(group)


def _entropy(text: str) -> float:
    counts = [text.count(letter) / len(text) for letter in set(text)]
    return -sum(share * math.log2(share) for share in counts)


_rules: list[_Rule] = []


def _load_rules() -> list[_Rule]:
    if not _rules:
        _rules.extend(_Rule(row) for row in json.loads(RULES_JSON))
    return _rules


def _is_random(value: str) -> bool:
    """True for a value whose parts do not occur in ordinary text."""
    return len(value) >= 10 and any(c.isdigit() for c in value) and any(c.isalpha() for c in value)


def _forms(value: str) -> Iterable[str]:
    raw = value.encode("utf-8", "surrogatepass")
    yield value
    yield value[::-1]
    yield raw.hex()
    yield urllib.parse.quote(value, safe="")
    yield json.dumps(value)[1:-1]
    for shift in range(3):
        # The characters of Base64 that depend on this value alone, at each position of the value in other data.
        encoded = base64.b64encode(b"\0" * shift + raw).decode()
        yield encoded[(0, 2, 3)[shift] : len(encoded) - 4]


class Redactor:
    """Known values, names of variables, and shapes of secrets.

    `extra` are values, or compiled patterns for values, that are masked in addition to the built-in rules.
    """

    def __init__(self, extra: Iterable[str | re.Pattern[str]] = ()) -> None:
        self._values: dict[str, str] = {}
        self._parts: dict[str, str] = {}
        self._masked: dict[str, str] = {}
        self._patterns: list[re.Pattern[str]] = []
        for item in extra:
            if isinstance(item, str):
                self.learn("redact", item)
            else:
                self._patterns.append(item)
        for name, value in os.environ.items():
            if len(value) >= 8 and is_secret(name, value):
                self.learn(name, value)

    def learn(self, name: str, value: str) -> None:
        """Masks a value everywhere from now on, and its parts if it looks random."""
        if len(value) < 4 or len(value) > 20_000 or value in self._values or _HARMLESS.match(value):
            return
        if len(self._values) > MAX_SECRETS * 8:
            return
        self._masked.clear()
        rule = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:30] or "value"
        mark = placeholder(rule, value)
        for form in _forms(value):
            if len(form) >= 4:
                self._values.setdefault(form, mark)
        if _is_random(value):
            for form in list(_forms(value)):
                for start in range(len(form) - _PART + 1):
                    self._parts.setdefault(form[start : start + _PART], mark)

    def learn_from(self, scopes: Iterable[Mapping[str, Any]]) -> None:
        """Learns the values of variables, keys and attributes whose names are those of secrets, and secrets in texts.

        Looks at `MAX_OBJECTS` values at most: those of all scopes before their parts.
        """
        seen: set[int] = set()
        texts: list[str] = []
        queue = collections.deque((name, value, 0) for scope in scopes for name, value in scope.items())
        while queue and len(seen) + len(texts) < MAX_OBJECTS:
            name, value, depth = queue.popleft()
            if shape.base_of(value, (str,)):
                text = str.__getitem__(value, slice(0, 20_000))
                if is_secret(name, text):
                    self.learn(name, text)
                elif len(text) > 8:
                    texts.append(text)
                continue
            if shape.base_of(value, (bytes, int, float)) or id(value) in seen or depth > 5:
                continue
            seen.add(id(value))
            queue.extend((key if type(key) is str else name, item, depth + 1) for key, item in _parts(name, value))
        # A secret inside of a text is masked everywhere, also where code shows it without the rest of the text.
        joined = "\n".join(texts)[: _MAX_TEXT // 2]
        for start, end, mark in list(self._shaped(joined)):
            if end - start >= 8:
                self.learn(mark.split(":")[1], joined[start:end])

    def mask(self, text: str) -> str:
        """The text with placeholders where secrets are."""
        if len(text) > _MAX_TEXT:
            text = text[:_MAX_TEXT] + "…"
        if len(text) > 200:
            return self._mask(text)
        # Previews repeat themselves.
        known = self._masked.get(text)
        if known is None:
            if len(self._masked) > 5000:
                self._masked.clear()
            known = self._masked[text] = self._mask(text)
        return known

    def _mask(self, text: str) -> str:
        spans = [*self._known(text), *self._shaped(text)]
        if not spans:
            return text
        kept = [match.span() for match in _PLACEHOLDER.finditer(text)]
        out: list[str] = []
        position = 0
        for start, end, mark in sorted(spans):
            if end <= position or any(a <= start and end <= b for a, b in kept):
                continue
            if start > position or not out:
                out.append(text[position : max(start, position)])
                out.append(mark)
            position = end
        return "".join(out) + text[position:]

    def mask_named(self, name: str, text: str) -> str:
        """As `mask`, and all of it if the name is that of a secret."""
        if text[:1] in "'\"b" and is_secret(name.strip("\"'"), text.strip("b'\"")):
            return placeholder("named", text)
        return self.mask(text)

    def _known(self, text: str) -> Iterable[tuple[int, int, str]]:
        for value, mark in self._values.items():
            start = text.find(value)
            while start >= 0:
                yield start, start + len(value), mark
                start = text.find(value, start + 1)
        if self._parts:
            for start in range(len(text) - _PART + 1):
                mark_ = self._parts.get(text[start : start + _PART])
                if mark_ is not None:
                    yield start, start + _PART, mark_

    def _shaped(self, text: str) -> Iterable[tuple[int, int, str]]:
        lowered = text.lower()
        for rule in _load_rules() if len(text) >= 12 else ():
            if not rule.keywords or any(word in lowered for word in rule.keywords):
                for start, end in rule.find(text):
                    yield start, end, placeholder(rule.name, text[start:end])
        for keyed in (_QUOTED, _KEYED):
            for match in keyed.finditer(text):
                value = match["value"]
                if is_secret(match["key"], value) and not _HARMLESS.match(value):
                    yield *match.span("value"), placeholder("keyed-secret", value)
        for pattern, name in ((_URL, "url"), (_HEADER, "header"), *((p, "redact") for p in self._patterns)):
            for match in pattern.finditer(text):
                group = "value" if "value" in pattern.groupindex else 0
                if match.group(group):
                    yield *match.span(group), placeholder(name, match.group(group))


def _parts(name: str, value: Any) -> Iterable[tuple[Any, Any]]:
    if shape.base_of(value, (dict,)):
        yield from shape.first_items(value, 500)
    elif shape.base_of(value, shape.LISTS + shape.SETS):
        yield from ((name, item) for item in shape.first_elements(value, 200))
    elif shape.base_of(value, (type,)) is None and type(value).__module__ not in ("builtins", "types"):
        yield from shape.attributes(value).items()
