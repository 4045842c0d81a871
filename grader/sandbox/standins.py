"""Stand-ins for what a student's code only shows things with: plots, progress bars, and names of a live notebook.

Runs in the student process, beside code that may rewrite it; nothing here is a boundary, and nothing that a stand-in
returns is worth points. A package is replaced only if it is on the closed list, which holds none that computes
anything, and is imported by a plain import of the student's, not by one with a fallback of its own (`try: … except
ImportError`). Whether it is installed makes no difference: a mark must not depend on what a machine has beside the
grader, and to import the real ones takes longer than to grade. Everything else that is missing stays missing.
"""

from __future__ import annotations

import ast
import builtins
import dis
import importlib
import importlib.abc
import importlib.machinery
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

PLOTTING = ("matplotlib", "mpl_toolkits", "pylab", "seaborn", "plotly", "bokeh", "altair", "graphviz", "torchviz")
PROGRESS = ("tqdm", "livelossplot", "torchinfo", "torchsummary")
LIVE = ("IPython", "ipywidgets", "google.colab")
REPLACED = (*PLOTTING, *PROGRESS, *LIVE)
"""Packages that only draw, print or ask. Not pandas, scipy or the like: results can depend on those."""

_CATCHES = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})


class StandIn:
    """Takes every use and does nothing: calls, attributes, items, arithmetic, `with`, and unpacking into any number."""

    def __init__(self, *_args: Any, **_keywords: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return StandIn()

    def __call__(self, *_args: Any, **_keywords: Any) -> Any:
        return StandIn()

    def __getitem__(self, _key: Any) -> Any:
        return StandIn()

    def __setitem__(self, _key: Any, _value: Any) -> None:
        pass

    def __iter__(self) -> Iterator[Any]:
        return iter([StandIn() for _ in range(_unpacked_into(sys._getframe(1)))])

    def __len__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        return True

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_error: Any) -> None:
        pass

    def __instancecheck__(self, _instance: Any) -> bool:
        return False

    def __format__(self, _spec: str) -> str:
        return ""

    def __lt__(self, _other: Any) -> bool:
        return False

    __le__ = __gt__ = __ge__ = __lt__

    def __float__(self) -> float:
        return 0.0

    def __index__(self) -> int:
        return 0

    def _itself(self, *_others: Any) -> Any:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __neg__ = _itself
    __or__ = __ror__ = __pow__ = __floordiv__ = __mod__ = _itself


def _unpacked_into(frame: types.FrameType) -> int:
    """How many names the statement that iterates here unpacks into, as in `fig, ax = plt.subplots()`; 0 in a loop."""
    code, at = frame.f_code.co_code, frame.f_lasti
    return code[at + 1] if 0 <= at < len(code) - 1 and dis.opname[code[at]] == "UNPACK_SEQUENCE" else 0


class Bar:
    """tqdm without a bar: hands on what it is given."""

    def __init__(self, iterable: Any = None, _desc: Any = None, total: Any = None, *_more: Any, **words: Any) -> None:
        self._iterable = () if iterable is None else iterable
        self.n = words.get("initial", 0)
        self.total = len(iterable) if total is None and hasattr(iterable, "__len__") else total

    def __iter__(self) -> Iterator[Any]:
        for item in self._iterable:
            yield item
            self.n += 1

    def __len__(self) -> int:
        return len(self._iterable) if hasattr(self._iterable, "__len__") else self.total

    def __bool__(self) -> bool:
        return True

    def update(self, n: Any = 1) -> None:
        """Count, as the real one does."""
        self.n += n

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_error: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return StandIn()

    write = staticmethod(lambda *_args, **_keywords: None)


class _Shell:
    """What `get_ipython()` returns: no magic does anything, a shell prints nothing."""

    def getoutput(self, *_args: Any, **_keywords: Any) -> list[str]:
        return []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_args, **_keywords: None


def get_ipython() -> Any:
    """The shell of a notebook that is not live."""
    return _Shell()


def offer_live_names(notebook: bool) -> None:
    """Make the names of a live session known everywhere: `display`, `get_ipython`; in a notebook `In`, `Out`, `_`.

    `grader.check`, which a notebook calls on itself, does nothing here.
    """
    names: dict[str, Any] = {"display": StandIn(), "get_ipython": get_ipython}
    if notebook:
        names |= {"In": StandIn(), "Out": StandIn(), "_": StandIn(), "__": StandIn(), "___": StandIn()}
    for name, value in names.items():
        if not hasattr(builtins, name):
            setattr(builtins, name, value)
    if "grader" in sys.modules:
        vars(sys.modules["grader"])["check"] = lambda *_args, **_keywords: None


def _mapped(function: Callable[..., Any], *iterables: Any, **_keywords: Any) -> list[Any]:
    """What tqdm's maps over threads and processes return."""
    return list(map(function, *iterables))


_PASS_ON: dict[str, Callable[..., Any]] = {
    "trange": lambda *args, **_keywords: Bar(range(*args)),
    "tnrange": lambda *args, **_keywords: Bar(range(*args)),
    "tenumerate": lambda iterable, start=0, *_args, **_keywords: enumerate(iterable, start),
    "tzip": lambda *iterables, **_keywords: zip(*iterables, strict=False),
    "tmap": lambda function, *iterables, **_keywords: map(function, *iterables),
    "thread_map": _mapped,
    "process_map": _mapped,
}
"""What of tqdm hands on what it is given."""
_NUMPY_TOO = ("pylab", "matplotlib.pylab")
"""Modules that have numpy's names beside those that draw."""
_STARS = {
    **dict.fromkeys(("tqdm", "tqdm.auto", "tqdm.notebook"), ("tqdm", "trange")),
    **dict.fromkeys(_NUMPY_TOO, ("plot", "show", "figure", "subplots", "hist", "imshow", "legend", "title")),
}
"""What `import *` binds."""


def forget_real_ones() -> None:
    """Make imports of what is replaced ask for it anew: torch has imported tqdm itself, where it is installed."""
    for name in [name for name in sys.modules if any(f"{name}.".startswith(f"{each}.") for each in REPLACED)]:
        del sys.modules[name]


class _Module(types.ModuleType):
    """A module of stand-ins."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name.lower().startswith("tqdm"):
            return Bar
        if name in _PASS_ON:
            return _PASS_ON[name]
        if self.__name__ in _NUMPY_TOO and hasattr(numpy := importlib.import_module("numpy"), name):
            return getattr(numpy, name)
        return get_ipython if name == "get_ipython" else StandIn()


class StandIns(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds stand-ins. `names` are those that this one is for; `trees` gives the parsed texts of a file that was handed
    in, and nothing for any other file."""

    def __init__(self, names: Sequence[str], trees: Callable[[str], Sequence[ast.AST]]) -> None:
        self._names = names
        self._trees = trees
        self.used: list[str] = []

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        name = next((name for name in self._names if fullname == name or fullname.startswith(f"{name}.")), None)
        if name is None and f"{fullname}." in {f"{name.partition('.')[0]}." for name in self._names if "." in name}:
            name = next(name for name in self._names if name.startswith(f"{fullname}."))
        if name is None or not (self._is_below_one(fullname) or _is_asked_for(name, self._trees)):
            return None
        if name not in self.used:
            self.used.append(name)
        spec = importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        spec.submodule_search_locations = []
        return spec

    @staticmethod
    def _is_below_one(fullname: str) -> bool:
        above = fullname.rpartition(".")[0]
        return isinstance(sys.modules.get(above), _Module)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        module = _Module(spec.name)
        also = importlib.import_module("numpy").__all__ if spec.name in _NUMPY_TOO else []
        known = [*_STARS.get(spec.name, ()), *also]
        module.__dict__["__all__"] = known
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        pass


def _is_asked_for(name: str, trees: Callable[[str], Sequence[ast.AST]]) -> bool:
    """Whether the innermost line of the student's is a plain import of this package."""
    frame: types.FrameType | None = sys._getframe(2)
    while frame is not None:
        found = trees(frame.f_code.co_filename)
        if found:
            line = frame.f_lineno
            return any(line in _plain_imports(tree, name) for tree in found)
        frame = frame.f_back
    return False


def _plain_imports(tree: ast.AST, name: str) -> set[int]:
    """Lines of the imports of a package that have no fallback."""
    lines: set[int] = set()
    pending = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Try) and any(_catches(handler) for handler in node.handlers):
            pending += [*node.handlers, *node.orelse, *node.finalbody]
            continue
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            parent = [f"{node.module}"] if isinstance(node, ast.ImportFrom) and not node.level else []
            names = parent + [".".join([*parent, alias.name]) for alias in node.names]
            if any(f"{each}.".startswith(f"{name}.") for each in names):
                lines |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        pending += ast.iter_child_nodes(node)
    return lines


def _catches(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    return any(isinstance(node, ast.Name) and node.id in _CATCHES for node in ast.walk(handler.type))
