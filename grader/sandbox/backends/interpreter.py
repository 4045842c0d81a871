"""Where this interpreter and its packages lie, and where they appear inside a sandbox.

Runs in the judge. The sandbox sees the interpreter, its standard library, the installed packages and the few files of
this package that a student process needs, each at a neutral place; nothing of the checkout, of courses or of homes.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import grader

WORKER = "/opt/worker"
_PYTHON = "/opt/python"
_SYSTEM_LIBRARIES = ("/usr/lib", "/usr/lib64", "/etc/ld.so.cache")
_SYSTEM_LINKS = ("/lib", "/lib64")


@dataclass(frozen=True)
class Interpreter:
    """The interpreter as a sandbox sees it.

    `binds` are (path here, path there); `links` are (target, link) to be made there; `hidden` are files there that tell
    paths of this machine; `readable` are the paths there that student code may read; `arguments` start the forkserver,
    up to the descriptor and the settings.
    """

    binds: tuple[tuple[str, str], ...]
    links: tuple[tuple[str, str], ...]
    hidden: tuple[str, ...]
    readable: tuple[str, ...]
    arguments: tuple[str, ...]
    library_path: str


def describe_interpreter() -> Interpreter:
    """The running interpreter, prepared for a sandbox."""
    base = os.path.realpath(sys.base_prefix)
    executable = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
    shared = base == "/usr" or base.startswith("/usr/")
    there = base if shared else _PYTHON
    binds = [(path, path) for path in _SYSTEM_LIBRARIES if os.path.exists(path)]
    if not shared:  # not the whole prefix: it may be a home
        needed = [f"{base}/{name}" for name in ("lib", "lib64")] + [executable]
        binds += [(path, there + path.removeprefix(base)) for path in needed if os.path.exists(path)]
    else:
        binds.append((executable, executable))
        if base != "/usr":
            binds.append((f"{base}/lib", f"{base}/lib"))
    packages, hidden = [], []
    for index, folder in enumerate(_package_folders()):
        packages.append(f"/opt/packages{index}")
        binds.append((folder, packages[-1]))
        hidden += [f"{packages[-1]}/{name}" for name in _telling_files(Path(folder))]
    binds += _worker_files()
    links = []
    for path in _SYSTEM_LINKS:
        if os.path.islink(path):
            links.append((os.readlink(path), path))
        elif os.path.isdir(path):
            binds.append((path, path))
    start = _start_code([WORKER, *packages])
    inside = executable if shared else there + executable.removeprefix(base)
    return Interpreter(
        binds=tuple(binds),
        links=tuple(links),
        hidden=tuple(hidden),
        readable=tuple(sorted({target for _, target in binds})),
        arguments=(inside, "-s", "-S", "-P", "-B", "-c", start),
        library_path=f"{there}/lib",
    )


def _package_folders() -> list[str]:
    """Folders with installed packages that lie outside the interpreter's own prefix, or in it, as on sys.path."""
    found = []
    for entry in sys.path:
        folder = os.path.realpath(entry)
        if os.path.basename(folder) in ("site-packages", "dist-packages") and os.path.isdir(folder):
            found.append(folder)
    return list(dict.fromkeys(found))


def _telling_files(folder: Path) -> list[str]:
    """Files that installers write beside packages, with the paths of what was installed in place."""
    patterns = ("*.dist-info/direct_url.json", "*.pth", "_editable_impl_*.py", "__editable__*.py")
    return sorted(path.relative_to(folder).as_posix() for pattern in patterns for path in folder.glob(pattern))


def _worker_files() -> list[tuple[str, str]]:
    """The files of this package that a student process needs, and no others."""
    package = Path(grader.__file__).parent
    names = ["__init__.py", "errors.py", "wire", "sandbox"]
    return [(str(package / name), f"{WORKER}/grader/{name}") for name in names]


def _start_code(path: list[str]) -> str:
    entries = ", ".join(repr(entry) for entry in path)
    return (
        f"import sys; sys.path += [{entries}]; "
        "from grader.sandbox.forkserver import main; main(int(sys.argv[1]), sys.argv[2])"
    )


def plain_arguments() -> list[str]:
    """Arguments that start the forkserver in an ordinary process of this interpreter."""
    package = str(Path(grader.__file__).parent.parent)
    path = [package, *_package_folders()]
    return [sys.executable, "-s", "-S", "-P", "-B", "-c", _start_code(path)]


def readable_in_place() -> tuple[str, ...]:
    """What a student process needs to read where nothing is mounted for it, at the places where it lies."""
    base = os.path.realpath(sys.base_prefix)
    libraries = [f"{base}/{name}" for name in ("lib", "lib64")]
    worker = [path for path, _ in _worker_files()]
    wanted = [*_SYSTEM_LIBRARIES, *_SYSTEM_LINKS, *libraries, *_package_folders(), *worker]
    return tuple(dict.fromkeys(path for path in wanted if os.path.exists(path)))


def zygote_environment(library_path: str) -> dict[str, str]:
    """The environment of a zygote: nothing of the machine's own."""
    return {
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "HOME": "/tmp",
        "USER": "student",  # torch's compiler asks for it when it is imported
        "LD_LIBRARY_PATH": library_path,
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MPLBACKEND": "Agg",
        "PYTHONHASHSEED": "0",
    }
