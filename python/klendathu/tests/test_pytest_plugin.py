import json
import os
import subprocess
import sys

SAMPLE = '''
import pytest

def total(order):
    return order["price"] * order["count"]

def test_passes():
    assert True

def test_fails():
    assert total({"price": 2, "count": 3}) == 7

def test_raises():
    total({"price": 2})

@pytest.mark.xfail
def test_expected():
    assert False

def test_skipped():
    pytest.skip("no")

@pytest.fixture
def broken():
    value = 41
    raise RuntimeError("setup")

def test_setup(broken):
    pass
'''


def run(folder, *words, **env):
    (folder / "test_sample.py").write_text(SAMPLE)
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *words],
        cwd=folder, capture_output=True, text=True, timeout=120, env={**os.environ, **env},
    )  # fmt: skip


def last_line(done):
    return done.stdout.splitlines()[-1].strip("=").rsplit(" in ", 1)[0]


def test_reports_beside_the_usual_outcome(tmp_path):
    bare = run(tmp_path)
    done = run(tmp_path, "--klendathu", "--klendathu-max", "2")
    assert done.returncode == bare.returncode == 1
    assert last_line(done) == last_line(bare)
    files = sorted(path.name for path in (tmp_path / ".klendathu" / "reports").iterdir())
    assert files == [f"test_sample.py-test_{n}.{end}" for n in ("fails", "raises") for end in ("json", "md")]
    report = json.loads((tmp_path / ".klendathu" / "reports" / "test_sample.py-test_raises.json").read_text())
    assert "total" in report["text"] and report["stats"]["turns"] == 1
    assert done.stdout.count(str(tmp_path / ".klendathu")) == 2
    assert "--klendathu-max" in done.stdout


def test_processes_of_xdist(tmp_path):
    bare = run(tmp_path, "-n", "2")
    done = run(tmp_path, "--klendathu", "-n", "2")
    assert done.returncode == bare.returncode == 1
    assert last_line(done) == last_line(bare)
    reports = tmp_path / ".klendathu" / "reports"
    listed = {line.rsplit(": ", 1)[1] for line in done.stdout.splitlines() if f": {reports}" in line}
    assert listed == {str(path) for path in reports.glob("*.md")} and len(listed) == 3


def test_cases_of_unittest(tmp_path):
    (tmp_path / "test_case.py").write_text(
        "import unittest\nclass Case(unittest.TestCase):\n    def test_it(self):\n        self.assertEqual(1, 2)\n"
    )
    done = run(tmp_path, "--klendathu", "test_case.py")
    assert done.returncode == 1
    assert [path.name for path in (tmp_path / ".klendathu" / "reports").glob("*.md")] == ["test_case.py-Case-test_it.md"]


def test_without_an_agent(tmp_path):
    done = run(tmp_path, "--klendathu", KLENDATHU_CLI="/missing")
    assert done.returncode == 1 and "KLENDATHU_CLI" in done.stdout
    assert last_line(done) == last_line(run(tmp_path))


def test_junit_and_a_passing_run(tmp_path):
    assert run(tmp_path, "--klendathu", "-k", "passes").returncode == 0
    assert not (tmp_path / ".klendathu").exists()
    run(tmp_path, "--klendathu", "-k", "raises", "--junitxml=out.xml")
    assert "klendathu" in (tmp_path / "out.xml").read_text()
