"""A program that is looked at: it answers each line of input, code in JSON, with a line. `argv`: its kind, the world."""

import asyncio
import ctypes
import json
import mmap
import os
import signal
import socket
import sys
import threading

MARK = os.environ.pop("MARK_OF_THE_HOST", "")
kind, world = sys.argv[1], json.loads(sys.argv[2])

from klendathu.mcp.target import Target  # noqa: E402
from klendathu.mcp.tools import Tools, ToolFailed  # noqa: E402

signals: list[int] = []
signal.signal(signal.SIGUSR1, lambda *_: signals.append(1))
reader, PIPE = os.pipe()
own, SOCKET = socket.socketpair()
os.set_blocking(reader, False)
own.setblocking(False)
SHARED = mmap.mmap(-1, 4096)
target = ctypes.create_string_buffer(b"a")
libc = ctypes.CDLL(None, use_errno=True)
NAMES = "unlink open write truncate rename chmod system fork kill connect socket memset syscall"
C = {name: getattr(libc, name) for name in NAMES.split()}
C["memset"].argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
C["syscall"].restype = ctypes.c_long


def call(*arguments):
    return libc.syscall(*[ctypes.c_long(item) if isinstance(item, int) else item for item in arguments])


C["syscall"] = call
C["shared"] = ctypes.addressof(ctypes.c_char.from_buffer(SHARED))
context = {**world, "PIPE": PIPE, "SOCKET": SOCKET, "SHARED": SHARED, "PID": os.getpid(), "C": C}
context["TARGET"] = ctypes.addressof(target)
limits = __import__("resource").getrlimit(7)
priority = os.getpriority(os.PRIO_PROCESS, 0)


def damage():
    """What happened to this process."""
    found = []
    if signals:
        found.append("signal")
        signals.clear()
    for name, read in (("pipe", lambda: os.read(reader, 9)), ("connection", lambda: own.recv(9))):
        try:
            if read():
                found.append(name)
        except BlockingIOError:
            pass
    if SHARED[0]:
        found.append("shared memory")
        SHARED[0] = 0
    if target.raw[:1] != b"a":
        found.append("memory")
        target.raw = b"a\0"
    if __import__("resource").getrlimit(7) != limits or os.getpriority(os.PRIO_PROCESS, 0) != priority:
        found.append("limits")
    return found


def answer(code):
    tools = Tools(Target(None, context, {}), eval_timeout=1.5)
    try:
        found = tools.call("eval", {"code": code})
        text = json.dumps(found)
    except ToolFailed as error:
        text = f"{error}"
    try:
        works = tools.call("eval", {"code": "1 + 1"})["result"] == "2"
    except ToolFailed as error:
        works, text = False, f"{text}; then {error}"
    return {"text": text, "damage": damage() + ([] if works else ["the next evaluation"])}


def serve(run):
    print("ready", flush=True)
    for line in sys.stdin:
        print(json.dumps(run(json.loads(line))), flush=True)


if kind == "threads":
    lock = threading.Lock()

    def spin():
        while True:
            with lock:
                sum(range(100))
            threading.Event().wait(0.001)

    for _ in range(3):
        threading.Thread(target=spin, daemon=True).start()
if kind == "asyncio":

    async def main():
        loop = asyncio.get_running_loop()
        ticks = asyncio.ensure_future(tick())
        await loop.run_in_executor(None, serve, answer)
        ticks.cancel()

    async def tick():
        while True:
            await asyncio.sleep(0.001)

    asyncio.run(main())
else:
    serve(answer)
