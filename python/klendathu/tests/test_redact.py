"""Planted secrets reach no text that leaves the process."""

import base64
import json
import os
import random
import string
import sys
import urllib.parse

import pytest
from conftest import COMPLETE

from klendathu import investigate
from klendathu.inspect.redact import Redactor
from klendathu.mcp.tools import ToolFailed

RANDOM = random.Random(7)


def secret(length=24):
    letters = string.ascii_letters + string.digits
    return "q7" + "".join(RANDOM.choice(letters) for _ in range(length - 2))


SHAPES = [
    "AKIA" + "Z3X4C5V6B7N8M2Q1",
    "ghp_" + secret(36),
    "sk-ant-" + secret(40),
    "xoxb-123456789012-123456789012-" + secret(24),
    "glpat-" + secret(20),
    "-----BEGIN RSA PRIVATE KEY-----\n" + secret(64) + "\n-----END RSA PRIVATE KEY-----",
    "Bearer " + secret(30),
    "postgres://user:" + secret(16) + "@db/x",
    "https://ann:" + secret(16) + "@example.com/",
    "api_key=" + secret(32),
]
NAMES = ["password", "api_key", "apiKey", "client_secret", "authToken", "access_key", "private_key", "DB_PASSWORD", "session_key"]
NAMES += ["passwd", "refresh_token", "signingKey", "credentials", "cookie", "secret"]


class Client:
    def __init__(self, value):
        self.headers = {"Authorization": "Bearer " + value, "X-Api-Key": value}
        self._token = value


def plants():
    """100 secrets with the variables that hold them."""
    found = []
    for index in range(100):
        value = secret()
        name = NAMES[index % len(NAMES)]
        place = index % 7
        if place == 0:
            found.append((value, {name: value}))
        elif place == 1:
            found.append((value, {"config": {"deep": [{"list": ({name: value},)}]}}))
        elif place == 2:
            found.append((value, {"client": Client(value)}))
        elif place == 3:
            found.append((value, {"url": f"https://user:{value}@example.com/x", "n": 1}))
        elif place == 4:
            found.append((value, {"text": f"{name} = '{value}'"}))
        elif place == 5:
            found.append((value, {"line": f"Authorization: Bearer {value}"}))
        else:
            found.append((value, {"body": json.dumps({name: value})}))
    return found


LOOKS = ["VALUE", "repr(VALUE)", "str(VALUE)[:40]", "print(VALUE)", "[VALUE]", "vars(VALUE) if hasattr(VALUE, '__dict__') else VALUE"]


def forms(value):
    yield value
    yield value[::-1]
    yield value.encode().hex()
    yield base64.b64encode(value.encode()).decode().rstrip("=")[:-1]
    yield urllib.parse.quote(value)
    for start in range(len(value) - 8):
        yield value[start : start + 8]


def leaks(value, text):
    return [form for form in forms(value) if form in text]


def test_planted_secrets(tools_for):
    for index, (value, variables) in enumerate(plants()):
        tools = tools_for(None, variables)
        target = tools._target
        texts = [json.dumps(target.context_values), json.dumps(target.context)]
        for name in variables:
            for look in LOOKS if COMPLETE else LOOKS[index % len(LOOKS) :][:1]:
                try:
                    texts.append(json.dumps(tools.call("eval", {"code": look.replace("VALUE", name)})))
                except ToolFailed as error:
                    texts.append(str(error))
        assert not leaks(value, "\n".join(texts)), (variables, texts)


def test_parts_and_encodings_over_several_evaluations(tools_for):
    value = secret(32)
    tools = tools_for(None, {"settings": {"api_key": value}})
    codes = [f"settings['api_key'][{i}:{i + 8}]" for i in range(0, 32, 8)]
    codes += ["settings['api_key'][::-1]", "import base64; base64.b64encode(b'xy' + settings['api_key'].encode())"]
    codes += ["settings['api_key'].encode().hex()", "print(settings)", "{}[settings['api_key']]", "raise ValueError(settings)"]
    for code in codes:
        try:
            text = json.dumps(tools.call("eval", {"code": code}))
        except ToolFailed as error:
            text = str(error)
        assert not leaks(value, text), (code, text)


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes(shape):
    text = Redactor().mask(f"before {shape} after")
    core = max(shape.replace("@", ":").replace("/", ":").replace("=", ":").replace(" ", ":").split(":"), key=len)
    assert core not in text and text.startswith("before ") and text.endswith(" after")


def test_values_of_the_user_and_of_the_environment(monkeypatch):
    import re

    monkeypatch.setenv("SERVICE_TOKEN", "tok-99887766")
    redactor = Redactor(["Ann Example", re.compile(r"customer-\d+")])
    text = redactor.mask("Ann Example is customer-123, see tok-99887766")
    assert not any(word in text for word in ("Ann", "123", "tok-99"))


def test_ordinary_text_is_kept():
    redactor = Redactor()
    kept = ["token = next(tokens)", "key: value", "def f(password=None): pass", "tokens_count=15", "x = a[key]", "api_key = os.environ['API_KEY']"]
    for text in [*kept, "See https://example.com:8080/a@b", "9f86d081884c7d659a2feaa0c55ad015"]:
        assert redactor.mask(text) == text
    assert redactor.mask_named("token", "'IDENT'") == "'IDENT'"


def test_nothing_reaches_the_cli(catch):
    value = secret()
    os.environ["PLANTED_TOKEN"] = value

    def failing(password, url):
        raise ConnectionError(f"cannot reach {url} with {password}")

    try:
        error = catch(failing, value, f"https://u:{value}@h/")
        context = {"client": Client(value), "note": f"token: {value}"}
        run = investigate(error, context=context, instructions=f"input\nlocals 0\neval client._token\neval {value}")
        text = run.result() + json.dumps(list(run.stderr))
        assert not leaks(value, text)
    finally:
        del os.environ["PLANTED_TOKEN"]


def test_hostile_text_is_masked_in_time():
    redactor = Redactor()
    for text in ("x" * 30_000, "a://" * 8000, "key=" * 8000, "'" * 30_000, "token: " + "\\" * 30_000, "Bearer " * 5000):
        assert isinstance(redactor.mask(text), str)
    assert sys.getsizeof(redactor.mask("y" * 10_000_000)) < 1_000_000


def test_all_rules_compile():
    from klendathu.inspect.redact import _load_rules

    for rule in _load_rules():
        list(rule.find("text"))


def test_the_working_folder_is_no_secret(monkeypatch):
    monkeypatch.setenv("PWD", "/home/ann/project")
    monkeypatch.setenv("OLDPWD", "/home/ann/other")
    monkeypatch.setenv("DB_PWD", "q7-hunter-secret")
    redactor = Redactor()
    redactor.learn_from([{"pwd": "/home/ann/project/data", "old_pwd": "/home/ann"}])
    text = redactor.mask("open /home/ann/project/data.csv from /home/ann/other with q7-hunter-secret")
    assert text.startswith("open /home/ann/project/data.csv from /home/ann/other with [secret:")
