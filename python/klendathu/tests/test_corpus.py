"""One script for all programs: frames, variables of the first frame of the project, then one path by a fixed rule."""

import importlib.util
import sys
from pathlib import Path

import pytest

CORPUS = sorted((Path(__file__).parent / "corpus").glob("*.py"))

MAX_LOOKS = 3


def load(path):
    spec = importlib.util.spec_from_file_location(f"corpus_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def values(nodes):
    for node in nodes:
        yield node["name"], node["preview"]
        yield from values(node.get("children", []))


def look(tools):
    """What each look shows: the frames; the innermost frame of the project; that of the deepest cause, or its caller."""
    yield []
    frames = tools.call("frames", {})["frames"]
    user = [index for index, frame in enumerate(frames) if frame["isUser"]]
    yield list(values(tools.call("locals", {"frame": user[0], "depth": 3})["values"]))
    entered = [index for index in user if index > 0 and not frames[index - 1]["isUser"]]
    target = entered[-1] if entered else user[min(1, len(user) - 1)]
    yield list(values(tools.call("locals", {"frame": target, "depth": 3})["values"]))


def test_there_are_enough():
    assert len(CORPUS) >= 10


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_reaches_the_faulting_value(path, tools_for, catch):
    module = load(path)
    error = catch(module.main)
    assert isinstance(error, Exception)
    seen = list(look(tools_for(error)))
    assert len(seen) <= MAX_LOOKS
    assert any(module.FAULT in shown for shown in seen), seen
