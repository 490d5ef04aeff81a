"""Code that tries to block or end the program. All of it: KLENDATHU_COMPLETE=1."""

import os
import threading
import time

import pytest
from conftest import COMPLETE

from klendathu.inspect import isolate
from klendathu.mcp.tools import ToolFailed

LOOPS = r"""
while True: pass
for _ in iter(int, 1): pass
[0 for _ in iter(int, 1)]
{0 for _ in iter(int, 1)}
{0: 0 for _ in iter(int, 1)}
list(iter(int, 1))
sum(iter(int, 1))
max(iter(int, 1))
any(iter(int, 1))
all(x == 0 for x in iter(int, 1))
sorted(iter(int, 1))
dict(zip(iter(int, 1), iter(int, 1)))
''.join(iter(str, 1))
sum(range(10**15))
10**10**9
2**(2**40)
'a' in iter(int, 1)
import itertools; list(itertools.repeat(0))
import itertools; sum(itertools.count())
import itertools; next(x for x in itertools.cycle([1]) if x == 2)
import re; re.match('(a+)+$', 'a' * 60 + 'b')
import time; time.sleep(600)
import threading; threading.Event().wait()
import threading; l = threading.Lock(); l.__enter__(); l.__enter__()
import queue; queue.Queue().get()
import select; select.select([], [], [])
import signal; signal.pause()
import signal; signal.sigwait([signal.SIGUSR1])
int('9' * 4000) ** 10**8
str(10**4000) * 10**10
while 1:\n  try:\n    while 1: pass\n  except BaseException: pass
while 1:\n  try:\n    raise KeyboardInterrupt\n  except: continue
def f():\n  while True: yield 1\nlist(f())
def f():\n  try:\n    while True: pass\n  finally:\n    while True: pass\nf()
class A:\n  def __repr__(self):\n    while True: pass\nA()
class A:\n  def __del__(self):\n    while True: pass\nA(); 1
class A:\n  def __eq__(self, o):\n    while True: pass\nA() == 1
class A:\n  def __hash__(self):\n    while True: pass\n{A(): 1}
class A:\n  def __getattr__(self, n):\n    while True: pass\nA().x
class A:\n  def __str__(self):\n    while True: pass\nprint(A())
class A(Exception):\n  def __str__(self):\n    while True: pass\nraise A
import asyncio; await asyncio.sleep(600)
import asyncio; await asyncio.Event().wait()
import asyncio; await asyncio.Future()
import asyncio\nwhile True: await asyncio.sleep(0)
import asyncio\nawait asyncio.sleep(0)\nwhile True: pass
import asyncio\nasync def f():\n  while True: pass\nawait f()
import asyncio\nasync def f(): await f()\nawait f()
import asyncio\nasync def f():\n  while True:\n    try: await asyncio.sleep(600)\n    except BaseException: pass\nawait f()
import asyncio; await asyncio.gather(*[asyncio.sleep(600) for _ in range(1000)])
import asyncio\nasync def f():\n  asyncio.get_running_loop().call_soon(lambda: 1 / 0)\n  await asyncio.Future()\nawait f()
import asyncio\ndef again(): asyncio.get_running_loop().call_soon(again)\nagain()\nawait asyncio.Future()
""".strip().splitlines()

ENDS = r"""
import sys; sys.exit()
import sys; sys.exit(3)
raise SystemExit(1)
raise KeyboardInterrupt
raise GeneratorExit
import os; getattr(os, '_ex' + 'it')(0)
import os; getattr(os, 'abo' + 'rt')()
import os; getattr(os, 'ki' + 'll')(os.getpid(), 9)
import os; getattr(os, 'ki' + 'll')(os.getppid(), 9)
import os; getattr(os, 'ki' + 'll')(PID, 15)
import os; getattr(os, 'ki' + 'llpg')(os.getpgid(0), 9)
import signal; signal.raise_signal(signal.SIGKILL)
import signal; signal.raise_signal(signal.SIGTERM)
import signal; getattr(signal, 'pthread_' + 'kill')(MAIN, 15)
import signal; signal.alarm(1); 1
import signal; signal.signal(signal.SIGINT, lambda *a: 1 / 0); 1
import signal; signal.setitimer(signal.ITIMER_REAL, 0.01); 1
import faulthandler; faulthandler._sigsegv()
import faulthandler; faulthandler._fatal_error(b'x')
import ctypes; ctypes.string_at(0)
import _ctypes
import os; os.fork()
import os; os.system('true')
import os; os.execv('/bin/true', ['true'])
import os; os.posix_spawn('/bin/true', ['true'], {})
import subprocess; subprocess.run(['true'])
import subprocess; subprocess.Popen('true', shell=True)
import multiprocessing; multiprocessing.Process(target=print).start()
import pty; pty.spawn('/bin/true')
import threading; [threading.Thread(target=lambda: exec('while 1: pass')).start() for _ in range(8)]; 1
import _thread; _thread.start_new_thread(lambda: exec('while 1: pass'), ()); 1
import _thread; _thread.interrupt_main(); 1
import threading\nfor t in threading.enumerate(): t._tstate_lock = None
import atexit; atexit.register(lambda: exec('while 1: pass')); 1
import sys; sys.modules.clear(); 1
import sys; sys.modules['json'] = None; 1
import sys; sys.modules['builtins'].__dict__.clear()
import builtins; builtins.len = None; 1
import builtins; builtins.__import__ = None; 1
import sys; sys.stdout = None; print(1)
import sys; sys.setrecursionlimit(10**8); 1
import sys\ngetattr(sys, 'setrecursion' + 'limit')(10**9)\ndef f(): f()\nf()
def f(): return f()\nf()
f = lambda n: f(n + 1)\nf(0)
class A:\n  def __getattr__(self, n): return getattr(self, n + 'x')\nA().x
eval('(' * 90 + ')' * 90)
eval('(' * 100000)
exec('x' + '=x' * 50000)
exec('exec("1");' * 50000)
for _ in range(10**9): exec('1')
x = 'exec(x)'\nexec(x)
compile('1+' * 100000 + '1', 'x', 'eval')
import ast; ast.literal_eval('[' * 5000 + ']' * 5000)
'x' * 10**12
[0] * 10**12
bytearray(10**12)
x = [0]\nwhile True: x = x + x
x = 'a'\nwhile True: x += x
d = {}\nfor i in iter(int, 1): d[len(d)] = 'x' * 1000
print('x' * 10**8)
while True: print('x' * 1000)
'%0999999999d' % 1
f'{1:>9999999999}'
import gc; gc.get_objects().clear(); 1
import gc; [o.clear() for o in gc.get_objects() if type(o) is dict]; 1
import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (1, 1))
import os; os.closerange(0, 1000); 1
import os; os.dup2(0, 5); 1
import sys; sys.settrace(lambda *a: None); 1
import sys; sys.addaudithook(lambda *a: 1 / 0); 1
import threading; threading.settrace(lambda *a: None); 1
import socket; socket.socket().connect(('127.0.0.1', 9))
import urllib.request; urllib.request.urlopen('http://127.0.0.1:9')
import os; os.write(PIPE, b'x' * 10); 1
import inspect\nframe = inspect.currentframe()\nwhile frame: frame = frame.f_back\n1
raise BaseException('x' * 10**8)
raise type('E', (Exception,), {'__str__': lambda self: 1 / 0})
type('A', (), {'__repr__': lambda self: 'x' * 10**9})()
type('A', (), {'__class__': property(lambda self: 1 / 0)})()
lambda: 0
import sys; sys.intern('x' * 10**8); 1
import time\ntime.time = None\ntime.sleep = None
import time; getattr(time, 'monotonic').__call__(); setattr(time, 'monotonic', None)
import json; json.dumps = None; json.loads = None; 1
""".strip().splitlines()

SNIPPETS = [line.replace("\\n", "\n") for line in LOOPS + ENDS]
LIMIT = 1.0 if COMPLETE else 0.25
CHOSEN = SNIPPETS if COMPLETE else SNIPPETS[::9]


def answer(tools, code, **more):
    try:
        return tools.call("eval", {"code": code, "timeoutMs": int(LIMIT * 1000), **more})["result"]
    except ToolFailed as error:
        return f"failed: {error}"


def test_there_are_enough():
    assert len(SNIPPETS) >= 130


@pytest.mark.skipif(not isolate.CAN_FORK, reason="needs fork")
@pytest.mark.parametrize("code", CHOSEN)
def test_the_program_stays_alive_and_is_answered(code, tools_for):
    reader, writer = os.pipe()
    state = {"PID": os.getpid(), "MAIN": threading.main_thread().ident, "PIPE": writer}
    tools = tools_for(None, state)
    begun = time.monotonic()
    text = answer(tools, code)
    took = time.monotonic() - begun
    assert text
    if COMPLETE:
        assert took <= LIMIT * 1.2
    # Nothing is left, and the program works as before.
    os.close(writer)
    assert os.read(reader, 100) == b""
    os.close(reader)
    assert answer(tools, "sum([1, 2])") == "3"
    assert len("abc") == 3 and time.monotonic() > 0
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


IN_THREAD = [
    "while True: pass",
    "while 1:\n  try:\n    while 1: pass\n  except Exception: pass",
    "max(iter(lambda: 0, 1))",
    "def f(): return f()\nf()",
    "import sys; sys.exit(1)",
    "raise KeyboardInterrupt",
    "import time; time.sleep(1)",
    "import asyncio; await asyncio.sleep(600)",
    "import asyncio\nawait asyncio.sleep(0)\nwhile True: pass",
    "class A:\n  def __repr__(self):\n    while True: pass\nA()",
]


@pytest.mark.parametrize("options", [{"access": "full"}, {"isolated": False}], ids=["full", "thread"])
@pytest.mark.parametrize("code", IN_THREAD)
def test_in_the_memory_of_the_program(code, options, tools_for):
    tools = tools_for(None, {}, **options)
    begun = time.monotonic()
    assert answer(tools, code, readOnly=False)
    if COMPLETE:
        assert time.monotonic() - begun <= LIMIT * 1.2
    assert answer(tools, "sum([1, 2])") == "3"
