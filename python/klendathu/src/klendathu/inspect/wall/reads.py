"""What evaluated code can read: the project without its secret files, Python, and what it imports."""

from __future__ import annotations

import glob
import os
import site
import sys
import sysconfig

from .landlock import READ_DIR, READ_FILE
from .secret_files import is_secret_file

# Entries of folders. What was not visited cannot be read.
MAX_VISITED = 50_000
# Large, and of no use to a program of Python; the data of Git may hold credentials.
_SKIPPED = frozenset(["node_modules", ".git", ".hg", ".svn"])
_SYSTEM: tuple[str, ...] = (
    "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo", "/usr/share/locale",
    "/usr/share/i18n", "/etc/ssl/certs", "/dev/null", "/dev/zero", "/dev/urandom", "/dev/random", "/etc/ld.so.cache",
    "/etc/localtime", "/etc/timezone", "/etc/mime.types", "/proc/cpuinfo", "/proc/meminfo",
)  # fmt: skip
_TREE = READ_FILE | READ_DIR
_SYSTEM = tuple({os.path.realpath(path): None for path in _SYSTEM})


def _is_above(folder: str, path: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _homes() -> set[str]:
    found = {os.path.expanduser("~")}
    try:
        import pwd

        found.add(pwd.getpwuid(os.getuid()).pw_dir)
    except (ImportError, KeyError):
        pass
    return {os.path.realpath(path) for path in found if path != "~"}


def _is_too_wide(folder: str) -> bool:
    """True for the root, for a home folder and for what is above one."""
    return folder == "/" or any(home != "/" and _is_above(folder, home) for home in _homes())


def _packages() -> list[str]:
    """The folders of the standard library and of installed packages."""
    found = [sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    found += [os.path.dirname(os.__file__), *getattr(site, "getsitepackages", list)()]
    for prefix in {sys.prefix, sys.base_prefix, sys.exec_prefix}:
        found += [os.path.join(prefix, name) for name in ("lib", "lib64")]
    for path in sys.path:
        if "site-packages" in path or "dist-packages" in path or (path and glob.glob(f"{glob.escape(path)}/*.dist-info")):
            found.append(path)
    return found


class Reads:
    """The paths that evaluated code can read in a project."""

    def __init__(self, root: str) -> None:
        self._left = MAX_VISITED
        self._secret: set[int] = set()
        self._grants: dict[str, int] = {}
        project = os.path.realpath(root)
        # What is above the project would open its secret files.
        self._system = [path for path in _SYSTEM if not _is_above(path, project)]
        trees = [path for path in map(os.path.realpath, _packages()) if not _is_too_wide(path)]
        # `lib` of an environment in the folder of the project is a folder of the project.
        self._trees = [path for path in trees if not _is_above(path, project) and (not _is_in(path, project) or _holds_packages(path))]
        # A script in `/tmp` does not open all of it.
        paths = [path for path in (os.path.realpath(path or os.curdir) for path in sys.path) if path.count("/") > 1]
        self._sources = [path for path in dict.fromkeys([project, *paths]) if not _is_too_wide(path)]
        # What is loaded can be shown, wherever it is.
        loaded = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
        self._files = {os.path.realpath(path) for path in loaded if isinstance(path, str) and not is_secret_file(path)}

    def allows(self, path: str) -> bool:
        """True for a source file that the agent may see."""
        real = os.path.realpath(path)
        if is_secret_file(path) or is_secret_file(real):
            return False
        return real in self._files or any(_is_above(folder, real) for folder in (*self._trees, *self._sources))

    def grants(self) -> dict[str, int]:
        """Rights of Landlock by path. A folder without secret files in it is one entry."""
        self._grants = dict.fromkeys((*self._system, *self._trees), _TREE)
        for path in [path for path in self._grants if not os.path.isdir(path)]:
            self._grants[path] = READ_FILE
        found = [(path, self._list(path)) for path in self._sources if not self._is_covered(path)]
        for path, entries in found:
            self._grant(path, entries)
        self._grants.update((path, READ_FILE) for path in self._files if not self._is_covered(path))
        return self._grants

    def _is_covered(self, path: str) -> bool:
        return any(_is_above(tree, path) for tree in (*self._system, *self._trees))

    def _list(self, folder: str) -> _Folder | None:
        """Visits a folder. Links are not followed: what they lead to has its own path."""
        if not os.path.isdir(folder):
            return None
        found: _Folder = {}
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    self._left -= 1
                    if self._left < 0:
                        found[entry.path] = (0, False, None)
                    elif entry.is_dir(follow_symlinks=False):
                        is_kept = entry.name not in _SKIPPED and not self._is_covered(entry.path)
                        found[entry.path] = (0, is_kept, self._list(entry.path) if is_kept else None)
                    elif entry.is_file(follow_symlinks=False):
                        is_kept = not is_secret_file(entry.path)
                        if not is_kept:
                            self._secret.add(entry.inode())
                        found[entry.path] = (entry.inode(), is_kept, None)
        except OSError:
            found[folder + "/?"] = (0, False, None)
        return found

    def _is_clean(self, entries: _Folder) -> bool:
        return all(
            is_kept and inode not in self._secret and (inner is None or self._is_clean(inner))
            for inode, is_kept, inner in entries.values()
        )

    def _grant(self, folder: str, entries: _Folder | None) -> None:
        if entries is None:
            if os.path.isfile(folder):
                self._grants[folder] = READ_FILE
            return
        if self._is_clean(entries):
            self._grants[folder] = _TREE
            return
        self._grants[folder] = READ_DIR
        for path, (inode, is_kept, inner) in entries.items():
            if inner is not None:
                self._grant(path, inner)
            elif is_kept and inode not in self._secret:
                # Also another name of a secret file is not granted.
                self._grants[path] = READ_FILE


_Folder = dict[str, "tuple[int, bool, _Folder | None]"]


def _is_in(path: str, project: str) -> bool:
    return path != project and _is_above(project, path)


def _holds_packages(path: str) -> bool:
    return "site-packages" in path or "dist-packages" in path or bool(glob.glob(f"{glob.escape(path)}/python3*/site-packages"))
