"""Refuses code that obviously changes the program, before a read-only evaluation runs it.

It is a hint for the agent and the first line of defence, not the last: see `isolate` and `guard`.
"""

from __future__ import annotations

import ast

MUTATORS = frozenset(
    "append appendleft extend extendleft insert pop popitem popleft remove clear update setdefault add discard sort"
    " reverse rotate difference_update intersection_update symmetric_difference_update subtract move_to_end"
    " write writelines truncate send sendall sendto commit rollback save delete put put_nowait set_result"
    " set_exception cancel __setattr__ __setitem__ __delitem__ __delattr__ __iadd__ __ior__ __setstate__ __init__"
    " __set__ __delete__ _exit abort unlink mkdir rmdir rename write_text write_bytes touch chmod terminate kill"
    " acquire release notify notify_all shutdown close set_event_loop setswitchinterval setrecursionlimit settrace"
    " setprofile addaudithook".split()
)
_FRESH_CALLS = frozenset("dict list set bytearray sorted defaultdict Counter OrderedDict deque StringIO BytesIO".split())
_SETTERS = frozenset(["setattr", "delattr", "breakpoint", "input", "exit", "quit"])
_DYNAMIC = frozenset(["exec", "eval", "compile", "__import__", "globals", "vars", "locals"])
_FRESH_NODES = (ast.List, ast.Dict, ast.Set, ast.Tuple, ast.ListComp, ast.DictComp, ast.SetComp, ast.Constant)
_FRESH_NODES += (ast.JoinedStr, ast.BinOp, ast.Compare, ast.GeneratorExp)  # type: ignore[assignment]


class Refused(Exception):
    """The code was not run. The message says why."""


def _is_fresh_value(node: ast.AST) -> bool:
    if isinstance(node, _FRESH_NODES):
        return True
    return isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)) and (
        (node.func.id if isinstance(node.func, ast.Name) else node.func.attr) in _FRESH_CALLS
    )


def _root(node: ast.AST) -> ast.AST:
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
        node = node.value
    return node


def _is_plain(call: ast.Call) -> bool:
    """True for `getattr` with the name of a part that is not a method that changes its object."""
    name = call.args[1] if len(call.args) > 1 else None
    return isinstance(name, ast.Constant) and name.value not in MUTATORS


class _Names(ast.NodeVisitor):
    """Names that hold only values that the snippet made itself."""

    def __init__(self) -> None:
        self.fresh: set[str] = set()
        self.other: set[str] = set()

    def _bind(self, target: ast.AST, value: ast.AST | None) -> None:
        if isinstance(target, ast.Name):
            (self.fresh if value is not None and _is_fresh_value(value) else self.other).add(target.id)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for part in target.elts:
                self._bind(part, None)

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self._bind(target, node.value)
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._bind(node.target, node.value)
        self.generic_visit(node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self._bind(node.target, node.value)
        self.generic_visit(node)

    def visit_For(self, node: ast.For) -> None:
        self._bind(node.target, None)
        self.generic_visit(node)


class _Check(ast.NodeVisitor):
    def __init__(self, fresh: set[str], strict: bool) -> None:
        self._fresh = fresh
        self._strict = strict

    def _is_fresh(self, node: ast.AST) -> bool:
        root = _root(node)
        if self._strict and node is not root and getattr(node, "value", None) is not root:
            # A part of a part of a new list can be an object of the program.
            return False
        return _is_fresh_value(root) or (isinstance(root, ast.Name) and root.id in self._fresh)

    def _refuse(self, node: ast.AST, what: str) -> None:
        line = getattr(node, "lineno", 0)
        raise Refused(f"read-only: line {line} {what}. Copy the value first, for example with `copy.deepcopy`.")

    def _target(self, node: ast.AST) -> None:
        if isinstance(node, (ast.Attribute, ast.Subscript)) and not self._is_fresh(node):
            self._refuse(node, f"assigns to `{ast.unparse(node)}`")
        for part in getattr(node, "elts", []):
            self._target(part)
        if isinstance(node, ast.Starred):
            self._target(node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self._target(target)
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._target(node.target)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        # `items += […]` changes a list of the program in place.
        if not self._is_fresh(node.target):
            self._refuse(node, f"changes `{ast.unparse(node.target)}` in place")
        self.generic_visit(node)

    def visit_For(self, node: ast.For) -> None:
        self._target(node.target)
        self.generic_visit(node)

    def visit_With(self, node: ast.With) -> None:
        for item in node.items:
            if item.optional_vars is not None:
                self._target(item.optional_vars)
        self.generic_visit(node)

    def visit_Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if not self._is_fresh(target):
                self._refuse(node, f"deletes `{ast.unparse(target)}`")
        self.generic_visit(node)

    def visit_Global(self, node: ast.Global) -> None:
        self._refuse(node, "declares global names")

    def visit_Call(self, node: ast.Call) -> None:
        function = node.func
        if isinstance(function, ast.Attribute) and function.attr in MUTATORS and not self._is_fresh(function):
            self._refuse(node, f"calls `{function.attr}`, which changes its object")
        if isinstance(function, ast.Name):
            if function.id in _SETTERS and not (node.args and self._is_fresh(node.args[0])):
                self._refuse(node, f"calls `{function.id}`")
            if self._strict and (function.id in _DYNAMIC or (function.id == "getattr" and not _is_plain(node))):
                self._refuse(node, f"calls `{function.id}`")
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if self._strict and (node.attr in MUTATORS or node.attr in ("__globals__", "__subclasses__", "__builtins__")):
            if not self._is_fresh(node):
                self._refuse(node, f"reads `{node.attr}`")
        self.generic_visit(node)


def check_read_only(tree: ast.AST, *, strict: bool) -> None:
    """Raises `Refused` for assignments to parts of the program, `del`, and calls that change their object.

    `strict` also refuses code that hides what it calls; used where the evaluation shares the memory of the program.
    """
    names = _Names()
    names.visit(tree)
    _Check(names.fresh - names.other, strict).visit(tree)
