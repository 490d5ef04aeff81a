import json
import subprocess
import sys

import pytest

from klendathu import KlendathuError, investigate
from klendathu.__main__ import investigate_record, main


@pytest.fixture
def record(catch, tmp_path):
    def failing(order):
        password = "hunter2-very-secret"
        return order["items"][0]["price"], password

    error = catch(failing, {"items": [{"cost": 3}]})
    options = {"mode": "record", "project_root": tmp_path, "context": {"user": {"name": "Ann"}}, "cli_path": "/missing"}
    report = investigate(error, **options).result()
    assert investigate(error, **options).result().record == report.record
    return report.record


def test_record(record, tmp_path):
    assert record.startswith(str(tmp_path / ".klendathu" / "records"))
    data = json.loads(open(record).read())
    assert data["error"]["name"] == "KeyError" and data["count"] == 1
    assert data["context"][1]["name"] == "user" and data["context"][1]["value"]["children"]
    order = data["frames"][0]["locals"][0]
    assert order["children"][0]["children"][0]["children"][0]["preview"] == "3"
    assert "hunter2" not in json.dumps(data)


def test_investigate_a_record(record):
    run = investigate_record(record, instructions="input\nlocals 0\neval record['error']['name']\nframes")
    text = run.result()
    given, values, name = text.splitlines()[:3]
    assert json.loads(given)["error"]["name"] == "KeyError"
    assert "cost" in values and "KeyError" in name
    target_path = json.loads(values)["values"][0]["path"]
    assert target_path == "order"


def test_command(record, capsys):
    assert main(["investigate", record, "--instructions", "eval record['count']"]) == 0
    assert json.loads(capsys.readouterr().out)["result"] == "2"
    assert main(["investigate", record, "--json", "--instructions", "eval 1"]) == 0
    assert json.loads(capsys.readouterr().out)["stats"]["turns"] == 1
    assert main(["investigate", "/missing"]) == 2
    assert main(["investigate", __file__]) == 2
    done = subprocess.run([sys.executable, "-m", "klendathu", "--help"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "investigate" in done.stdout


def test_frozen(catch):
    def failing(value):
        return value["missing"]

    value = {"a": 1}
    error = catch(failing, value)
    run = investigate(error, mode="frozen", instructions="locals 0\neval len(record['frames'])\neval value")
    value["a"] = 2
    text = run.result()
    assert '"preview": "1"' in text.replace('\\"', '"') and "NameError" in text


def test_mode_of_the_environment(catch, monkeypatch, tmp_path):
    error = catch(lambda: 1 / 0)
    monkeypatch.setenv("PYTHON_ENV", "production")
    assert investigate(error, project_root=tmp_path).result().record
    monkeypatch.setenv("KLENDATHU_MODE", "live")
    assert investigate(error, instructions="eval 1").result().record is None
    monkeypatch.setenv("KLENDATHU_MODE", "other")
    with pytest.raises(KlendathuError) as caught:
        investigate(error).result()
    assert caught.value.code == "input"
