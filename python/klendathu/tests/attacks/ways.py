"""How harmful statements are reached, and in which form of code they are written. `H` is replaced by them, indented."""

WAYS = {
    "directly": "H",
    "guard switched off": "import klendathu.inspect.guard as g\nfor n in ('_everywhere', '_installed', '_hook'): setattr(g, n, False)\ng._threads.clear()\nH",
    "guard found in sys.modules": "import sys\nfor m in list(sys.modules.values()):\n  if str(getattr(m, '__name__', '')).startswith('klendathu.inspect.') and m.__name__.rpartition('.')[2] in ('guard', 'wall', 'seccomp', 'landlock'):\n    vars(m).update({n: (lambda *a, **k: None) if callable(v) else False for n, v in vars(m).items() if n.startswith('_') and not n.startswith('__')})\nH",
    "guard found by gc": "import gc, types\nfor o in gc.get_objects():\n  if isinstance(o, types.FunctionType) and 'hook' in o.__name__:\n    for c in o.__closure__ or ():\n      c.cell_contents = None\n    try: o.__code__ = (lambda *a, **k: None).__code__\n    except BaseException: pass\n    try: o.__defaults__ = None\n    except BaseException: pass\n    o.__globals__.update(_everywhere=False, Blocked=int, type=int)\nH",
    "guard found by frames": "import sys\nf = sys._getframe()\nwhile f:\n  f.f_globals['_everywhere'] = False\n  m = f.f_globals.get('guard')\n  if m: m.__dict__['_everywhere'] = False\n  f = f.f_back\nH",
    "builtins replaced": "import builtins, klendathu.inspect.guard as g\ng._everywhere = False\nbuiltins.isinstance = lambda *a: False\nbuiltins.PermissionError = ValueError\nbuiltins.frozenset = set\nH",
    "guard overwritten in memory": "import ctypes, gc, sys, types, klendathu.inspect.guard as g\ng._everywhere = False\nF = types.FunctionType\nempty = lambda *a, **k: None\ngc.collect()\nfor o in [o for o in gc.get_objects() if type(o) is F and o.__name__ in ('hook', '_hook', 'klendathu_hook')]:\n  ctypes.memmove(id(o) + 16, id(empty) + 16, F.__basicsize__ - 16)\nkeep = [empty] * 99\nH",
    "thread": "import threading, klendathu.inspect.guard as g\ng._everywhere = False\ndef f():\n  H\nt = threading.Thread(target=f); t.start(); t.join(2)",
    "signal handler": "import signal, klendathu.inspect.guard as g, _signal, time\ng._everywhere = False\ndef f(*a):\n  H\nsignal.signal(signal.SIGALRM, f); signal.setitimer(signal.ITIMER_REAL, 0.01)\ntime.sleep(0.05)",
    "end of the process": "import atexit, klendathu.inspect.guard as g\ng._everywhere = False\n@atexit.register\ndef f():\n  H\natexit._run_exitfuncs()",
    "weak reference": "import weakref, klendathu.inspect.guard as g\ng._everywhere = False\nclass A: pass\na = A()\ndef f(*b):\n  H\nr = weakref.ref(a, f)\ndel a",
    "destructor": "import klendathu.inspect.guard as g\ng._everywhere = False\nclass A:\n  def __del__(self):\n    H\na = A()\ndel a",
    "text of the result": "import klendathu.inspect.guard as g\ng._everywhere = False\nclass A:\n  def __repr__(self):\n    H\n    return ''\nRESULT = A()",
    "text of the exception": "import klendathu.inspect.guard as g\ng._everywhere = False\nclass A(Exception):\n  def __str__(self):\n    H\n    return ''\nraise A()",
    "module": "import sys, types, importlib.abc, importlib.util, klendathu.inspect.guard as g\ng._everywhere = False\nnames = globals()\nclass L(importlib.abc.Loader):\n  def create_module(self, s): return None\n  def exec_module(self, m): m.__dict__.update({k: v for k, v in names.items() if not k.startswith('__')}); exec(SOURCE, m.__dict__)\nclass F:\n  def find_spec(self, name, path=None, target=None): return importlib.util.spec_from_loader(name, L()) if name == 'attack_module' else None\nsys.meta_path.insert(0, F())\nimport attack_module",
    "event loop": "import asyncio, klendathu.inspect.guard as g\ng._everywhere = False\nasync def f():\n  await asyncio.sleep(0)\n  H\nasyncio.run(f())",
    "end of the answer": "import json, klendathu.inspect.isolate as i, klendathu.inspect.guard as g\ng._everywhere = False\nformer = json.dumps\ndef f(answer, **k):\n  said = []\n  print = said.append\n  try:\n    H\n  except BaseException as e: said.append(e)\n  answer['result'] = str(said)\n  return former(answer, **k)\ni.json.dumps = f",
}

FORMS = {
    "exec": lambda code: f"exec({code!r})",
    "exec of bytes": lambda code: f"exec({code.encode()!r}, globals())",
    "eval of a compiled text": lambda code: f"eval(compile({code!r}, 'x', 'exec'))",
    "function of a code object": lambda code: f"import types\ntypes.FunctionType(compile({code!r}, 'x', 'exec'), globals())()",
    "comprehension": lambda code: f"[exec(c, globals()) for c in [{code!r}]]",
    "lambda": lambda code: f"(lambda c: exec(c, globals()))({code!r})",
    "class body": lambda code: f"class A:\n  exec({code!r}, globals())",
    "getattr": lambda code: f"getattr(__import__('builtins'), 'ex' + 'ec')({code!r}, globals())",
    "base64": lambda code: f"import base64\nexec(base64.b64decode({__import__('base64').b64encode(code.encode())!r}), globals())",
    "generator": lambda code: f"next(exec(c, globals()) for c in [{code!r}])",
}


def write(way: str, harm: str, form: str) -> str:
    """The code of one case."""
    lines = []
    for line in WAYS[way].split("\n"):
        indent = line[: len(line) - len(line.lstrip())]
        lines += [indent + part for part in harm.split("\n")] if line.strip() == "H" else [line]
    code = "\n".join(lines).replace("SOURCE", repr(harm))
    # The result has to be the value of the last expression.
    return FORMS[form](code) + ("\nRESULT" if way == "text of the result" else "")
