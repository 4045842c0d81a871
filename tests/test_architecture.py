"""The layout is held here: imports point down, files and functions stay small, extensions touch one folder."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "grader"
MODULES = sorted(PACKAGE.rglob("*.py"))

ROWS = (
    {"errors"},
    {"wire"},
    {"model", "registry"},
    {"content", "intake", "sandbox", "exporters", "store"},
    {"judge", "render"},
    {"pipeline"},
    {"batch", "push", "service", "similar"},
    {"cli"},
)
"""Import order, lowest first: a module imports only from rows above its own."""

STANDARD_LIBRARY_ONLY = {"worker.py", "loading.py", "clock.py", "switches.py", "forkserver.py", "control.py"} | {
    "statements.py",
    "standins.py",
    "unbound.py",
}
"""Modules of the sandbox that run beside student code, or before it: the wire and the standard library, no more."""


def part_of(module: str) -> str:
    """`judge` for `grader.judge.run`."""
    return module.split(".")[1] if "." in module else ""


def imports_of(path: Path) -> set[str]:
    """Every `grader.…` module that a file imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            pytest.fail(f"{path} imports relatively")
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "grader":
            found |= {f"{node.module}.{alias.name}" if node.module == "grader" else node.module for alias in node.names}
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.split(".")[0] == "grader"}
    return found


def row_of(part: str) -> int:
    """The row of a part of the package."""
    return next(index for index, row in enumerate(ROWS) if part in row)


def own_part(path: Path) -> str:
    """The part of the package that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_imports_point_down(path: Path) -> None:
    own = own_part(path)
    if own == "__init__":
        return
    for module in imports_of(path):
        part = part_of(module)
        if part in ("", "__version__") or part == own:
            continue
        assert row_of(part) < row_of(own), f"{path.name} in row {row_of(own)} imports {module} of row {row_of(part)}"


def test_every_part_has_a_row() -> None:
    parts = {own_part(path) for path in MODULES} - {"__init__"}
    assert parts <= set().union(*ROWS)


def test_judge_knows_no_backend() -> None:
    for path in (PACKAGE / "judge").glob("*.py"):
        assert not {module for module in imports_of(path) if ".backends" in module or module.endswith(".zygote")}, path


def test_exporters_know_the_model_alone() -> None:
    for path in (PACKAGE / "exporters").rglob("*.py"):
        assert {part_of(module) for module in imports_of(path)} <= {"exporters", "model", "errors"}, path


@pytest.mark.parametrize("name", sorted(STANDARD_LIBRARY_ONLY))
def test_worker_imports_little(name: str) -> None:
    tree = ast.parse((PACKAGE / "sandbox" / name).read_text("utf-8"))
    lazy = {id(node) for top in ast.walk(tree) if isinstance(top, ast.FunctionDef) for node in ast.walk(top)}
    for node in ast.walk(tree):
        if id(node) in lazy or not isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
        for module in names:
            top = module.split(".")[0]
            assert top in sys.stdlib_module_names or module.startswith(("grader.wire", "grader.sandbox")), module


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_modules_and_functions_are_small(path: Path) -> None:
    text = path.read_text("utf-8")
    assert len(text.splitlines()) <= 300
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            assert node.end_lineno is not None
            assert node.end_lineno - node.lineno + 1 <= 50, f"{path.name}: {node.name}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_public_things_are_documented(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    assert ast.get_docstring(tree), f"{path} has no theory of operation"
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
            assert ast.get_docstring(node), f"{path.name}: {node.name} has no docstring"
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef) and not inner.name.startswith("_"):
                    documented = ast.get_docstring(inner) or _overrides(node)
                    assert documented, f"{path.name}: {node.name}.{inner.name} has no docstring"


def _overrides(node: ast.ClassDef) -> bool:
    """Whether a class derives from somebody else's, whose documentation its methods inherit."""
    return any(isinstance(base, ast.Attribute) for base in node.bases)


def test_init_modules_export_nothing() -> None:
    for path in PACKAGE.rglob("__init__.py"):
        tree = ast.parse(path.read_text("utf-8"))
        assert not [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))], path


def test_no_forbidden_habits() -> None:
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            assert not (isinstance(node, ast.FunctionDef) and node.name == "__del__"), path
            assert not isinstance(node, ast.Global), path


def test_help_imports_neither_torch_nor_pytest() -> None:
    code = (
        "import sys; sys.argv = ['grader', '--help']\n"
        "from grader.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit as leaving:\n    assert leaving.code == 0\n"
        "print({'torch', 'numpy', '_pytest', 'rich', 'jinja2'} & set(sys.modules), file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "validate" in ran.stdout
    assert ran.stderr.strip() == "set()"
