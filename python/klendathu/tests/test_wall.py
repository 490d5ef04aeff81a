"""What read-only evaluation can read, and where it is refused."""

import os
import signal
import struct
import subprocess
import sys

import pytest

from klendathu import KlendathuError
from klendathu.inspect import isolate
from klendathu.inspect.wall import kernel, landlock, reads, seccomp, wall
from klendathu.inspect.wall.secret_files import is_secret_file
from klendathu.launch.options import make_options
from klendathu.mcp.target import Target
from klendathu.mcp.tools import ToolFailed, Tools

needs_wall = pytest.mark.skipif(
    not (isolate.CAN_FORK and kernel.IS_KNOWN and landlock.version() > 0), reason="needs seccomp and Landlock"
)


def read(tools, path):
    try:
        return tools.call("eval", {"code": f"open({str(path)!r}).read()"})["result"]
    except ToolFailed as error:
        return f"refused: {error}"


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.setattr(wall, "_known", {})
    monkeypatch.setenv("HOME", str(tmp_path))
    root = tmp_path / "project"
    (root / "inner/deep").mkdir(parents=True)
    (root / "clean").mkdir()
    for path in ("plain.txt", "inner/plain.txt", "inner/deep/server.pem", "clean/plain.txt", ".env"):
        (root / path).write_text("content")
    (tmp_path / "outside.txt").write_text("content")
    return root


@needs_wall
def test_the_project_without_its_secret_files(project, tools_for):
    (project / "clean/again.txt").hardlink_to(project / ".env")
    (project / "clean/link.txt").symlink_to(project / "inner/deep/server.pem")
    (project / "away.txt").symlink_to(project.parent / "outside.txt")
    tools = tools_for(None, {}, project_root=str(project))
    for path in ("plain.txt", "inner/plain.txt", "clean/plain.txt"):
        assert read(tools, project / path) == "'content'"
    for path in (".env", "inner/deep/server.pem", "clean/again.txt", "clean/link.txt", "away.txt", "../outside.txt"):
        assert read(tools, project / path).startswith("refused: "), path
    # Made after the first look: by its name, by the second wall.
    (project / "clean/id_rsa").write_text("content")
    assert read(tools, project / "clean/id_rsa").startswith("refused: ")


@needs_wall
def test_a_home_folder_is_no_project(project, tools_for):
    tools = tools_for(None, {}, project_root=str(project.parent))
    assert read(tools, project.parent / "outside.txt").startswith("refused: ")
    assert read(tools, __file__).startswith("'")


@needs_wall
def test_a_hostile_answer_is_none(tools_for):
    tools = tools_for(None, {})
    for answer in ('[' * 100000, '{"result": 5, "console": []}', '{"result": "x", "console": [{"seq": {}}]}', '[1]', '1' * 10**6):
        write = f"import os, struct\nd = {answer!r}.encode()\nfor fd in range(3, 99):\n  try: os.write(fd, struct.pack('>I', len(d)) + d)\n  except OSError: pass"
        code = f"exec({write!r})"
        with pytest.raises(ToolFailed, match="ended its process"):
            tools.call("eval", {"code": code})


def answer_of(program, number, arguments=(), arch=None):
    """What a filter answers to a system call, by the rules of classic BPF."""
    steps = list(struct.iter_unpack("<HBBI", program))
    data = struct.pack("<IIQ6Q", number, arch, 0, *arguments, *[0] * (6 - len(arguments)))
    position = value = 0
    while True:
        kind, if_true, if_false, operand = steps[position]
        position += 1
        if kind == 0x06:
            return operand
        if kind == 0x20:
            value = struct.unpack_from("<I", data, operand)[0]
        else:
            holds = {0x15: value == operand, 0x35: value >= operand, 0x45: bool(value & operand)}[kind]
            position += if_true if holds else if_false


THREAD, KILLED, REFUSED, ALLOWED = 0x3D0F00, 0x80000000, 0x50001, 0x7FFF0000
NUMBERS = {
    "x86_64": {"openat": 257, "unlinkat": 263, "clone": 56, "kill": 62, "socket": 41, "prlimit64": 302, "execve": 59, "read": 0},
    "aarch64": {"openat": 56, "unlinkat": 35, "clone": 220, "kill": 129, "socket": 198, "prlimit64": 261, "execve": 221, "read": 63},
}


@pytest.mark.parametrize("machine", NUMBERS)
def test_the_filter_of_each_machine(machine, monkeypatch):
    monkeypatch.setattr(kernel, "MACHINE", machine)
    arch = kernel.ARCHITECTURES[machine]
    program = seccomp._make_filter()
    number = NUMBERS[machine]

    def answer(name, *arguments):
        return answer_of(program, number[name], arguments, arch)

    assert len(program) // 8 < 4096
    assert answer("read") == answer("openat", 0, 0, os.O_CLOEXEC) == answer("clone", THREAD) == ALLOWED
    assert answer("prlimit64", 0, 7, 0, 99) == ALLOWED and answer("prlimit64", 0, 7, 1 << 40) == REFUSED
    for flags in (os.O_WRONLY, os.O_RDWR, os.O_CREAT, os.O_TRUNC, os.O_TMPFILE, 3):
        assert answer("openat", 0, 0, flags) == REFUSED
    for name in ("unlinkat", "kill", "socket", "execve"):
        assert answer(name) == REFUSED
    assert answer("clone", 17) == answer("clone", THREAD | 0x10000000) == REFUSED
    assert answer_of(program, 435, (), arch) == 0x50000 | 38
    other = next(value for value in kernel.ARCHITECTURES.values() if value != arch)
    assert answer_of(program, number["read"], (), other) == answer_of(program, 3, (), 0x40000003) == KILLED
    if machine == "x86_64":
        assert answer_of(program, 0x40000000, (), arch) == KILLED


def test_where_the_kernel_has_no_wall(monkeypatch, tools_for):
    monkeypatch.setattr(wall, "_known", {})
    monkeypatch.setattr(landlock, "version", lambda: 0)
    tools = Tools(Target(None, {"value": [7]}, {}))
    with pytest.raises(ToolFailed, match="isolation"):
        tools.call("eval", {"code": "value"})
    if isolate.CAN_FORK:
        allowed = Tools(Target(None, {"value": [7]}, {}, isolation="optional"))
        assert allowed.call("eval", {"code": "value"})["result"] == "[7]"
    thread = Tools(Target(None, {"value": [7]}, {}, isolated=False))
    with pytest.raises(ToolFailed, match="isolation"):
        thread.call("eval", {"code": "value"})


def test_looking_needs_no_wall(monkeypatch, catch):
    def failing(order):
        return order["missing"]

    monkeypatch.setattr(landlock, "version", lambda: 0)
    tools = Tools(Target(catch(failing, {"id": 7}), {}, {}, isolated=False))
    assert tools.call("locals", {"frame": 0, "path": 'order["id"]'})["values"][0]["preview"] == "7"
    assert tools.call("source", {"file": __file__, "line": 1})["first"] == 1


def test_the_option(monkeypatch):
    assert make_options({}).resolve_isolation() == "required"
    monkeypatch.setenv("KLENDATHU_ISOLATION", "optional")
    assert make_options({}).resolve_isolation() == "optional"
    assert make_options({"isolation": "required"}).resolve_isolation() == "required"
    for wrong in ("none", 1, True):
        with pytest.raises(KlendathuError):
            make_options({"isolation": wrong})
    monkeypatch.setenv("KLENDATHU_ISOLATION", "never")
    with pytest.raises(KlendathuError):
        make_options({}).resolve_isolation()


def test_source_shows_only_what_can_be_read(project, tools_for):
    (project.parent / "secret.py").write_text("x = 1")
    (project / "shown.py").write_text("x = 1")
    tools = tools_for(None, {}, project_root=str(project))
    assert tools.call("source", {"file": str(project / "shown.py"), "line": 1})["text"] == "x = 1\n"
    with pytest.raises(ToolFailed):
        tools.call("source", {"file": str(project.parent / "secret.py"), "line": 1})


@needs_wall
def test_a_copy_ends_with_the_program():
    code = """
import os, sys, threading, time
from klendathu.mcp.target import Target
from klendathu.mcp.tools import Tools
tools = Tools(Target(None, {"PIPE": 1}, {}))
def run(): tools.call("eval", {"code": "while True: pass", "timeoutMs": 60000})
threading.Thread(target=run, daemon=True).start()
while True:
    found = open(f"/proc/self/task/{threading.enumerate()[-1].native_id}/children").read().split()
    if found: break
    time.sleep(0.01)
print(found[0], flush=True)
sys.stdin.read()
"""
    host = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    copy = int(host.stdout.readline())
    handle = os.pidfd_open(copy)
    host.send_signal(signal.SIGKILL)
    host.wait()
    # Readable once the process has ended.
    import select

    assert select.select([handle], [], [], 20)[0]
    os.close(handle)


@needs_wall
def test_threads_in_each_copy():
    code = """
import os, threading
from klendathu.mcp.target import Target
from klendathu.mcp.tools import ToolFailed, Tools
tools = Tools(Target(None, {}, {}))
os.register_at_fork(after_in_child=lambda: threading.Thread(target=threading.Event().wait, daemon=True).start())
try:
    print(tools.call("eval", {"code": "1"}))
except ToolFailed as error:
    print("refused" if "register_at_fork" in str(error) else error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "refused\n", done.stderr


def test_too_many_files_are_not_readable(project, monkeypatch):
    monkeypatch.setattr(reads, "MAX_VISITED", 1)
    granted = reads.Reads(str(project)).grants()
    assert not any(rights & landlock.READ_FILE for path, rights in granted.items() if path.startswith(str(project)))


@pytest.mark.parametrize("name", [".env", "a/.env.local", "id_rsa", "x/server.KEY", "home/.ssh/other", ".aws/credentials", "my-credentials.json", "prod.env", "sub/.env-x", ".dev.vars"])
def test_secret_names(name):
    assert is_secret_file(name)


@pytest.mark.parametrize("name", [".env.example", "env.py", "a.pub", "cacert.pem", ".ssh/config", "settings.py", "credentials.py", "example.env"])
def test_other_names(name):
    assert not is_secret_file(name)
