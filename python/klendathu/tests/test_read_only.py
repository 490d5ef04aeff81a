"""Mutating code changes nothing, and ordinary looks pass. Both are complete lists."""

import collections
import copy
import dataclasses
import os
import sys

import pytest

from klendathu.inspect import isolate
from klendathu.mcp.tools import ToolFailed


@dataclasses.dataclass
class Item:
    name: str
    price: float
    tags: list

    def rename(self, name):
        self.name = name
        return self


class Counter:
    total = 0

    def __init__(self):
        self.count = 0
        self._value = 5

    @property
    def next(self):
        self.count += 1
        return self.count

    @property
    def value(self):
        return self._value

    @value.setter
    def value(self, new):
        self._value = new

    def bump(self):
        Counter.total += 1
        return Counter.total


def make_state():
    return {
        "item": Item("a", 1.5, ["x", "y"]),
        "counter": Counter(),
        "numbers": [3, 1, 2],
        "table": {"a": 1, "b": {"c": [1]}},
        "names": {"p", "q"},
        "queue": collections.deque([1, 2]),
        "counts": collections.Counter("aab"),
        "grouped": collections.defaultdict(list, {"a": [1]}),
        "data": bytearray(b"abc"),
        "iterator": iter([1, 2, 3]),
        "function": make_state,
        "module": sys.modules[__name__],
    }


GLOBAL = [1, 2]


def fail():
    raise ValueError

MUTATING = r"""
item.name = 'b'
item.price += 1
item.tags[0] = 'z'
item.tags += ['z']
item.new = 1
item.tags: list = []
del item.name
del item.tags[0]
setattr(item, 'name', 'b')
delattr(item, 'name')
object.__setattr__(item, 'name', 'b')
item.__dict__['name'] = 'b'
item.__dict__.update(name='b')
vars(item)['name'] = 'b'
vars(item).clear()
item.rename('b')
Item.rename(item, 'b')
item.rename.__call__('b')
getattr(item, 'rename')('b')
item.__class__ = Counter
item.__init__('b', 2, [])
type(item).__init__(item, 'b', 2, [])
[item][0].name = 'b'
x = item; x.name = 'b'
x = item.tags; x[0] = 'z'
x = y = item; y.name = 'b'
(x := item).name = 'b'
for item.name in ['b']: pass
for x in [item]: x.name = 'b'
[x.rename('b') for x in [item]]
(lambda i: i.rename('b'))(item)
def f(i): i.name = 'b'\nf(item)
def f():\n  item.name = 'b'\nf()
with __import__('contextlib').nullcontext('b') as item.name: pass
item.name, x = 'b', 1
[item.name, *item.tags] = ['b', 'z']
exec("item.name = 'b'")
eval("item.rename('b')")
eval(compile("item.rename('b')", 'x', 'eval'))
import operator; operator.setitem(item.tags, 0, 'z')
import operator; operator.iadd(item.tags, ['z'])
import operator; operator.methodcaller('rename', 'b')(item)
import functools; functools.partial(item.rename, 'b')()
list(map(item.rename, ['b']))
sorted([1], key=item.rename)
numbers.append(4)
numbers.extend([4])
numbers.insert(0, 4)
numbers.pop()
numbers.remove(3)
numbers.clear()
numbers.sort()
numbers.reverse()
numbers += [4]
numbers *= 2
numbers[0] = 9
numbers[:] = []
numbers[0] += 1
del numbers[0]
del numbers[:]
list.append(numbers, 4)
list.sort(numbers)
numbers.__setitem__(0, 9)
numbers.__delitem__(0)
numbers.__iadd__([4])
[].__class__.append(numbers, 4)
getattr(numbers, 'app' + 'end')(4)
type(numbers).append(numbers, 4)
f = numbers.append; f(4)
import heapq; heapq.heapify(numbers)
import heapq; heapq.heappush(numbers, 0)
import bisect; bisect.insort(numbers, 0)
import random; random.shuffle(numbers)
table['a'] = 2
table['z'] = 1
table['b']['c'][0] = 9
table['b']['c'].append(2)
table.update(a=2)
table.pop('a')
table.popitem()
table.setdefault('z', 1)
table.clear()
table |= {'z': 1}
del table['a']
dict.update(table, a=2)
dict.__setitem__(table, 'a', 2)
table.get('b')['c'].append(1)
table.values().__iter__().__next__(); table['a'] = 5
[v.clear() for v in table.values() if isinstance(v, dict)]
context['table']['a'] = 2
context['new'] = 1
context.clear()
globals()['GLOBAL'] = 1
globals()['item'].name = 'b'
GLOBAL.append(3)
GLOBAL[0] = 9
GLOBAL += [3]
module.GLOBAL = 1
module.__dict__['GLOBAL'] = 1
module.GLOBAL.append(3)
setattr(module, 'GLOBAL', 1)
def f():\n  global GLOBAL\n  GLOBAL = 1\nf()
import sys; sys.modules[module.__name__].GLOBAL = 5
import sys; sys.path.append('x')
import sys; sys.argv.clear()
import sys; sys.modules['new'] = 1
import os; os.environ['NEW'] = '1'
import os; os.environ.update(NEW='1')
import os; os.putenv('NEW', '1')
import os; os.chdir('/')
import os; os.umask(0)
import os; os.mkdir(FOLDER + '/new')
import os; os.remove(FOLDER + '/file')
import os; os.rename(FOLDER + '/file', FOLDER + '/new')
import os; os.symlink('x', FOLDER + '/new')
import os; os.chmod(FOLDER + '/file', 0)
import os; os.truncate(FOLDER + '/file', 0)
import os; os.utime(FOLDER + '/file', (0, 0))
import os; os.open(FOLDER + '/new', os.O_CREAT | os.O_WRONLY)
open(FOLDER + '/new', 'w')
open(FOLDER + '/file', 'a').write('x')
open(FOLDER + '/file', 'r+')
open(FOLDER + '/file', 'wb')
import io; io.open(FOLDER + '/new', 'x')
import io; io.FileIO(FOLDER + '/new', 'w')
import pathlib; pathlib.Path(FOLDER, 'new').write_text('x')
import pathlib; pathlib.Path(FOLDER, 'new').touch()
import pathlib; pathlib.Path(FOLDER, 'file').unlink()
import shutil; shutil.copy(FOLDER + '/file', FOLDER + '/new')
import shutil; shutil.rmtree(FOLDER)
import tempfile; tempfile.mkdtemp(dir=FOLDER)
import tempfile; tempfile.NamedTemporaryFile(dir=FOLDER)
import sqlite3; sqlite3.connect(FOLDER + '/new')
import subprocess; subprocess.run(['touch', FOLDER + '/new'])
import os; os.system('touch ' + FOLDER + '/new')
import logging; logging.FileHandler(FOLDER + '/new')
import shelve; shelve.open(FOLDER + '/new')
import dbm; dbm.open(FOLDER + '/new', 'c')
import dbm.ndbm; dbm.ndbm.open(FOLDER + '/new', 'n')
import readline; readline.write_history_file(FOLDER + '/new')
file.write('x'); file.flush()
file.truncate(0)
file.seek(3); file.read()
next(iterator)
list(iterator)
names.add('z')
names.discard('p')
names |= {'z'}
names.pop()
queue.append(3)
queue.popleft()
queue.rotate(1)
counts.update('a')
counts['z'] += 1
counts.subtract('a')
grouped['new']
grouped['a'].append(2)
grouped['x'].append(2)
data[0] = 0
data.extend(b'x')
data += b'x'
counter.next
counter.value = 9
counter.bump()
Counter.total = 9
Counter.total += 1
type(counter).total = 9
Counter.bump = None
del Counter.bump
Counter.__dict__
function.mark = 1
function.__defaults__ = (1,)
function.__code__ = (lambda: 1).__code__
function.__globals__['GLOBAL'] = 5
import builtins; builtins.len = None
import gc; [o.append(1) for o in gc.get_objects() if o is numbers]
import inspect; inspect.currentframe().f_back
""".strip().splitlines()

BENIGN = r"""
item
item.name
item.price * 2
item.tags[0]
item.tags[-1].upper()
len(item.tags)
item.__dict__
vars(item)
dir(item)
type(item).__name__
type(item).__mro__
isinstance(item, Item)
hasattr(item, 'missing')
getattr(item, 'name', None)
repr(item)
str(item.price)
f'{item.name}: {item.price:.2f}'
item == item
id(item) > 0
dataclasses.asdict(item)
dataclasses.fields(item)
[f.name for f in dataclasses.fields(item)]
numbers
numbers[0]
numbers[::-1]
numbers[1:2]
sum(numbers)
max(numbers), min(numbers)
sorted(numbers)
sorted(numbers, key=lambda n: -n)
list(reversed(numbers))
numbers + [4]
numbers * 2
[n * 2 for n in numbers]
{n: n * 2 for n in numbers}
{n % 2 for n in numbers}
sum(n for n in numbers if n > 1)
any(n > 2 for n in numbers)
list(enumerate(numbers))
list(zip(numbers, numbers))
list(map(str, numbers))
list(filter(None, numbers))
numbers.index(3)
numbers.count(1)
numbers.copy()
3 in numbers
table
table['a']
table['b']['c'][0]
table.get('missing', 'none')
table.keys()
list(table.items())
'a' in table
{**table, 'z': 1}
dict(table, a=5)
table | {'z': 1}
{k: type(v).__name__ for k, v in table.items()}
names | {'z'}
'p' in names
sorted(names)
queue[0]
list(queue)
counts.most_common(1)
sum(counts.values())
grouped['a']
dict(grouped)
data.decode()
bytes(data)
counter.value
counter.count
counter._value
Counter.total
function.__name__
function.__code__.co_varnames
function()['numbers']
module.__name__
GLOBAL
context
sorted(context)
context['item'].name
x = 5; x + 1
x = [1]; x.append(2); x
x = []\nfor n in numbers:\n  x.append(n)\nx
x = {}\nfor n in numbers: x[n] = str(n)\nx
x = dict(table); x['a'] = 5; x
x = 0\nx += 1\nx
x = list(numbers); x.sort(); x
import copy; x = copy.deepcopy(item); x.name
import json; json.dumps(table)
import json; json.loads('{"a": 1}')
import re; re.findall('[a-z]', 'a1b')
import math; math.sqrt(16)
import datetime; datetime.date(2026, 1, 1).isoformat()
import collections; collections.Counter(numbers).most_common()
import itertools; list(itertools.islice(itertools.count(), 3))
import statistics; statistics.mean(numbers)
import inspect; inspect.getsource(function)
import inspect; inspect.signature(function)
import pprint; pprint.pformat(table)
import sys; sys.version_info[:2]
import sys; sys.getsizeof(numbers)
import sys; 'json' in sys.modules
import os; os.getcwd()
import os; os.path.exists('/')
import os; os.listdir('/')
import os; os.environ.get('PATH')
import pathlib; pathlib.Path('/').is_dir()
open('/etc/hostname').read()
open(__import__('os').__file__).readline()
import threading; threading.current_thread().name
import time; time.time() > 0
import asyncio; await asyncio.sleep(0, 1)
async def f(): return 5\nawait f()
def f(n):\n  return n * 2\nf(21)
class A:\n  x = 1\nA.x
(lambda n: n + 1)(1)
try:\n  table['zz']\nexcept KeyError as e:\n  r = repr(e)\nr
print(item); 1
if numbers: r = 'yes'\nr
import hashlib; hashlib.sha256(bytes(data)).hexdigest()
import base64; base64.b64encode(bytes(data))
import traceback; traceback.format_exception(ValueError('x'))
import urllib.parse; urllib.parse.urlparse('http://a/b').netloc
import decimal; decimal.Decimal('1.1') + 1
import uuid; uuid.UUID(int=1)
import gc; len(gc.get_objects()) > 0
import operator; operator.itemgetter(0)(numbers)
import functools; functools.reduce(lambda a, b: a + b, numbers)
import string; string.ascii_letters[:3]
import textwrap; textwrap.shorten('a b c', 5)
import difflib; difflib.get_close_matches('ab', ['abc'])
import linecache; linecache.getline(__import__('os').__file__, 1)
import locale; locale.getlocale()
import sqlite3; sqlite3.connect(':memory:').execute('select 1').fetchall()
import io; io.StringIO('x').read()
import struct; struct.pack('>I', 1)
import enum; enum.Enum('E', 'A B').A.name
""".strip().splitlines()


def snapshot(state, folder):
    plain = {k: repr(v) for k, v in state.items() if k not in ("iterator", "file", "module", "counter", "context")}
    state_of_iterator = copy.copy(state["iterator"])
    return (
        plain,
        list(state_of_iterator),
        vars(state["counter"]).copy(),
        {k: v for k, v in vars(Counter).items()},
        list(GLOBAL),
        sorted(state),
        sorted(vars(make_state)),
        dict(os.environ),
        os.getcwd(),
        list(sys.path),
        list(sys.argv),
        "new" in sys.modules,
        sorted((p.name, p.read_text()) for p in folder.iterdir()),
        state["file"].seek(0, 1),
        os.stat(folder / "file").st_mtime_ns,
        make_state.__code__,
        make_state.__defaults__,
    )


@pytest.fixture
def folder(tmp_path):
    found = tmp_path / "files"
    found.mkdir()
    (found / "file").write_text("text")
    return found


def lines(text):
    return [line.replace("\\n", "\n") for line in text]


@pytest.mark.skipif(not isolate.CAN_FORK, reason="needs fork")
def test_mutating_code_changes_nothing(folder, tools_for, catch):
    assert len(MUTATING) >= 150
    for code in lines(MUTATING):
        with open(folder / "file", "r+") as file:
            state = {**make_state(), "FOLDER": str(folder), "file": file}
            tools = tools_for(catch(fail), state)
            before = snapshot(state, folder)
            try:
                tools.call("eval", {"code": code})
            except ToolFailed as error:
                assert "NameError" not in str(error)
            assert snapshot(state, folder) == before, code


# Effects of these in a thread of the program are what the README names: functions of the program change their state.
IN_THREAD_LIMITS = ("rename", "bump", "counter.next", "iterator", "grouped[", "heap", "insort", "shuffle", "operator.", "seek", "readline.")


def test_mutating_statements_in_a_thread(folder, tools_for, catch):
    for code in lines(MUTATING):
        if any(word in code for word in IN_THREAD_LIMITS):
            continue
        with open(folder / "file", "r+") as file:
            state = {**make_state(), "FOLDER": str(folder), "file": file}
            tools = tools_for(catch(fail), state, isolated=False)
            before = snapshot(state, folder)
            try:
                tools.call("eval", {"code": code})
            except ToolFailed:
                pass
            assert snapshot(state, folder) == before, code


@pytest.mark.parametrize("isolated", [pytest.param(isolate.CAN_FORK, id="copy"), pytest.param(False, id="thread")])
def test_benign_looks_pass(isolated, tools_for, catch):
    assert len(BENIGN) >= 100
    chosen = lines(BENIGN)
    refused = []
    tools = tools_for(catch(fail), make_state(), isolated=isolated)
    for code in chosen:
        try:
            tools.call("eval", {"code": code})
        except ToolFailed as error:
            refused.append((code, str(error)))
    assert len(refused) <= len(chosen) * 0.1, refused
