"""Runs hostile code against a program, and reports every effect. Needs no package but klendathu.

Dimensions: kind of harm (`harms`: 62, by functions of Python and of C) × way to reach it (`ways.WAYS`: 17) × form of code
(`ways.FORMS`: 10) × kind of program (plain, threads, asyncio). Each harm meets each way; forms and programs rotate.

    python3 -m attacks.run [--every N] [--source FOLDER] [--probes FILE]

`--source` is a folder with another version of the package: that of the control. `--probes` runs a list instead: JSON,
`[{"code": …, "not": "what must not happen"}]`, with the names of `harms`. All effects are looked for after each of them.
"""

import argparse
import json
import os
import select
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
KINDS = ("plain", "threads", "asyncio")
MARKS = ("mark-of-the-key", "mark-of-the-home", "mark-of-the-secret", "mark-of-the-host", "EFFECT")


def list_cases():
    """Name, code and kind of the program."""
    from .harms import HARMS
    from .ways import FORMS, WAYS, write

    forms = list(FORMS)
    for number, (harm, statements) in enumerate(HARMS.items()):
        for index, way in enumerate(WAYS):
            form = forms[(number * 3 + index) % len(forms)]
            yield f"{harm}, {way}, {form}", write(way, statements, form), KINDS[(number + index) % len(KINDS)]


def list_probes(path):
    for index, probe in enumerate(json.loads(Path(path).read_text())):
        yield f"{probe['not']}: {probe['code']}", probe["code"], KINDS[index % len(KINDS)]


class World:
    """A project, a home folder, listeners and another process."""

    def __init__(self, source):
        self.place = Path(tempfile.mkdtemp(prefix="klendathu-attack-"))
        self.source = str(source)
        self.root, self.home = self.place / "project", self.place / "home"
        self.listeners = [socket.socket(), socket.socket(socket.AF_UNIX), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)]
        self.listeners[0].bind(("127.0.0.1", 0))
        self.port = self.listeners[0].getsockname()[1]
        self.listeners[1].bind(str(self.place / "listener"))
        self.listeners[2].bind(("127.0.0.1", self.port))
        for listener in self.listeners[:2]:
            listener.listen(16)
        self.hosts = {}
        self.victim = None
        self.reset()

    def reset(self):
        for folder in (self.root, self.home):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
        (self.root / "file.txt").write_text("text")
        (self.root / ".env").write_text("WORD=mark-of-the-secret")
        (self.root / "link.txt").symlink_to(".env")
        os.link(self.root / ".env", self.root / "hard.txt")
        (self.home / ".ssh").mkdir()
        (self.home / ".ssh/id_ed25519").write_text("mark-of-the-key")
        (self.home / "notes.txt").write_text("mark-of-the-home")
        self.before = self.look()

    def look(self):
        found = []
        for folder in (self.root, self.home):
            for path in sorted(folder.rglob("*")):
                stat = path.lstat()
                text = path.read_text() if path.is_file() and not path.is_symlink() else ""
                found.append((str(path), stat.st_mode, stat.st_mtime_ns, stat.st_nlink, text))
        return found

    def open(self, kind):
        host = self.hosts.get(kind)
        if host is not None and host.poll() is None:
            return host
        if self.victim is None or self.victim.poll() is not None:
            self.victim = subprocess.Popen(["sleep", "1000"])
            for other in self.hosts.values():
                self.end(other)
            self.hosts.clear()
        names = {"ROOT": str(self.root), "HOME": str(self.home), "FILE": str(self.root / "file.txt"), "PORT": self.port}
        names |= {"UNIX": str(self.place / "listener"), "VICTIM": self.victim.pid}
        env = {"PATH": os.environ["PATH"], "PYTHONPATH": self.source, "HOME": str(self.home)}
        env |= {"MARK_OF_THE_HOST": "mark-of-the-host", "PYTHONDONTWRITEBYTECODE": "1"}
        words = [sys.executable, str(HERE / "host.py"), kind, json.dumps(names)]
        pipe = subprocess.PIPE
        host = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=env, cwd=self.root)
        self.hosts[kind] = host
        if host.stdout.readline() != b"ready\n":
            raise RuntimeError("the program did not start")
        return host

    def attack(self, code, kind):
        """The effects that code had."""
        host = self.open(kind)
        found = []
        text = ""
        try:
            host.stdin.write(json.dumps(code).encode() + b"\n")
            host.stdin.flush()
            if select.select([host.stdout], [], [], 15)[0]:
                answer = json.loads(host.stdout.readline() or b"{}")
                found += answer.get("damage", ["the program ended"])
                text = answer.get("text", "")
            else:
                found.append("the program hangs")
        except (OSError, ValueError):
            found.append("the program ended")
        if found:
            self.end(host)
        found += [mark for mark in MARKS if mark in text]
        found += ["a connection"] if select.select(self.listeners, [], [], 0)[0] else []
        if self.victim.poll() is not None:
            found.append("a process ended")
            self.hosts.pop(kind, None)
            self.end(host)
        if self.look() != self.before:
            found.append("files")
        if found:
            self.drain()
            self.reset()
        return found, text

    def drain(self):
        for listener in self.listeners:
            while select.select([listener], [], [], 0)[0]:
                if listener is self.listeners[2]:
                    listener.recv(9)
                else:
                    listener.accept()[0].close()

    @staticmethod
    def end(process):
        process.kill()
        process.wait()

    def close(self):
        for process in [*self.hosts.values(), *([self.victim] if self.victim else [])]:
            self.end(process)
        for listener in self.listeners:
            listener.close()
        shutil.rmtree(self.place, ignore_errors=True)


def run(cases, source):
    """The number of cases, and those with effects."""
    world = World(source)
    count, effects = 0, []
    try:
        for name, code, kind in cases:
            count += 1
            found, text = world.attack(code, kind)
            if "NameError" in text and "'g'" not in text:
                found = [*found, f"the case is wrong: {text[:200]}"]
            if found:
                effects.append([name, found])
    finally:
        world.close()
    return count, effects


def package():
    """The folder of the package under test."""
    import klendathu

    return Path(klendathu.__file__).parent.parent


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--source")
    parser.add_argument("--probes")
    options = parser.parse_args()
    cases = list(list_probes(options.probes) if options.probes else list_cases())[:: options.every]
    count, effects = run(cases, options.source or package())
    print(json.dumps({"cases": count, "effects": effects}))


if __name__ == "__main__":
    main()
