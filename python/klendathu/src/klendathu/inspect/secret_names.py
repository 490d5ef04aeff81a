"""Which names of variables, keys and attributes hold secrets."""

from __future__ import annotations

import functools
import re

_PASSWORD = re.compile(
    r"(?:password|passwort|passwd|passphrase|passcode|pwd)s?$|^(?:pass|pw|kennwort|requirepass)$|^(?:db|user|root|admin)pass$"
)
_TOKEN = re.compile(
    r"(?:token|authtok|psk|secret|credential|apikey|secretkey|accesskey|privatekey|authkey|signingkey|masterkey"
    r"|encryptionkey|bearer|cookie)s?$|^(?:authorization|salt|dsn)$"
)
_QUALIFIED = frozenset(
    "api access secret private auth encryption encrypted signing signature master account shared storage app client"
    " session cookie nonce license hmac jwt aes crypto deploy admin server service vault webhook ssh tls ssl project"
    " integration subscription".split()
)
_NEUTRAL = frozenset(
    "base value val plain plaintext data prod production dev test staging live sandbox old new current next previous"
    " primary secondary default main backup b64 base64 encoded hash v".split()
)
_HARMLESS = re.compile(r"^(?:bypass|compass|tokens?count|csrftoken|publickey)$")
_FOLDER = re.compile(r"(?:^|[^a-zA-Z])(?:old)?pwd$", re.IGNORECASE)
_PATH = re.compile(r"^(?:[/\\~]|[A-Za-z]:[/\\])")
_CAMEL = re.compile(r"([a-z\d])([A-Z])")


@functools.lru_cache(maxsize=5000)
def secret_kind(name: str) -> str:
    """`password` for what a person chose, `token` for what a machine made, empty for an ordinary name."""
    if len(name) > 200:
        return ""
    words = [word for word in re.split(r"[^a-z]+", _CAMEL.sub(r"\1_\2", name).lower()) if word]
    while len(words) > 1 and words[-1] in _NEUTRAL:
        words.pop()
    if not words or "public" in words or _HARMLESS.match(words[-1]):
        return ""
    if _PASSWORD.search(words[-1]):
        return "password"
    if _TOKEN.search(words[-1]):
        return "token"
    return "token" if words[-1] in ("key", "keys") and len(words) > 1 and words[-2] in _QUALIFIED else ""


def is_secret(name: str, value: str) -> bool:
    """True if the name is that of a secret, and the value can be one: a token has 8 characters and looks random."""
    kind = secret_kind(name)
    # The working folder: every shell sets `PWD`.
    if _FOLDER.search(name) and _PATH.match(value):
        return False
    if kind == "password":
        return len(value) >= 3
    return kind == "token" and len(value) >= 8 and any(c.isdigit() or c in "-_+/=.:" for c in value)
