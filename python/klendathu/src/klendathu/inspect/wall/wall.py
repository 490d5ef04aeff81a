"""The wall around a copy of the process, which only the kernel can open, and never does."""

from __future__ import annotations

import os
import signal
import time

from . import kernel, landlock, memory, seccomp
from .reads import Reads


class NoWall(Exception):
    """The kernel has no such wall. The message says what is missing."""


class Wall:
    """What evaluations of one project have around them. Made in the program, before the first copy.

    `is_required` False: a copy without the parts that the kernel lacks is allowed.
    """

    def __init__(self, root: str, *, is_required: bool = True) -> None:
        self._is_required = is_required
        self._grants: dict[str, int] = {}
        self._problem = "" if kernel.IS_KNOWN else "this system has no seccomp filter that klendathu knows"
        if self._problem or landlock.version() == 0:
            self._problem = self._problem or "the kernel has no Landlock (Linux 5.13)"
            return
        self._grants = Reads(root).grants()

    def check(self) -> None:
        """Raises `NoWall` if it is known that there is none."""
        if self._problem and self._is_required:
            raise NoWall(self._problem)

    def prepare(self, program: int) -> None:
        """In the copy, first: memory of its own, no rights of root, and an end with the program. Raises `NoWall`."""
        self.check()
        if not kernel.IS_KNOWN:
            return
        try:
            kernel.control(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != program:
                os._exit(1)
            if len(os.listdir("/proc/self/task")) > 1:
                # Landlock holds for one thread.
                raise NoWall("the program starts threads in each copy of its process (os.register_at_fork)")
            memory.make_private()
            kernel.drop_capabilities()
        except (OSError, NoWall) as error:
            self._missing(error)

    def close(self) -> None:
        """In the copy, last: no file but those of `Reads`, and no system call that has an effect. Raises `NoWall`."""
        if not kernel.IS_KNOWN:
            return
        try:
            kernel.control(kernel.PR_SET_NO_NEW_PRIVS, 1)
            if self._grants:
                landlock.restrict(landlock.make_ruleset(self._grants.items()))
            seccomp.restrict()
        except OSError as error:
            self._missing(error)

    def _missing(self, error: OSError | NoWall) -> None:
        if self._is_required:
            raise NoWall(str(error)) from None


_MAX_AGE = 30.0
_known: dict[tuple[str, bool], tuple[float, Wall]] = {}


def open_wall(root: str, *, is_required: bool) -> Wall:
    """The wall for a project. What is in its folders is looked up again after half a minute."""
    key = (root, is_required)
    now = time.monotonic()
    made, wall = _known.get(key, (0.0, None))
    if wall is None or now - made > _MAX_AGE:
        wall = Wall(root, is_required=is_required)
        _known.clear()
        _known[key] = (now, wall)
    return wall
