"""Code that tries to have an effect. All of it: KLENDATHU_HOSTILE=all. See `attacks/run.py` for the dimensions."""

import os
import sys
from pathlib import Path

import pytest

from klendathu.inspect import isolate
from klendathu.inspect.wall import kernel, landlock

sys.path.insert(0, str(Path(__file__).parent))

from attacks import run as attacks  # noqa: E402
from attacks.ways import FORMS, WAYS, write  # noqa: E402

EVERY = 1 if os.environ.get("KLENDATHU_HOSTILE") == "all" else 7
needs_wall = pytest.mark.skipif(
    not (isolate.CAN_FORK and kernel.IS_KNOWN and landlock.version() > 0), reason="needs seccomp and Landlock"
)


def test_there_are_enough():
    assert len(list(attacks.list_cases())) >= 500


@needs_wall
def test_no_attack_has_an_effect():
    # Their numbers are those of x86_64.
    cases = [case for case in attacks.list_cases() if kernel.MACHINE == "x86_64" or "(C)" not in case[0]]
    count, effects = attacks.run(cases[::EVERY], attacks.package())
    assert effects == [] and count >= 500 / EVERY


@needs_wall
def test_no_probe_has_an_effect():
    probes = list(attacks.list_probes(Path(attacks.__file__).parent / "probes.json"))
    count, effects = attacks.run(probes[::EVERY], attacks.package())
    assert effects == [] and count >= len(probes) / EVERY


@needs_wall
def test_each_way_and_form_reaches_its_statements():
    world = attacks.World(attacks.package())
    try:
        for index, way in enumerate(WAYS):
            for form in list(FORMS)[index % EVERY :: EVERY]:
                found, text = world.attack(write(way, "print('REA' + 'CHED')", form), attacks.KINDS[index % 3])
                assert found == [] and "REACHED" in text, (way, form, text)
    finally:
        world.close()
