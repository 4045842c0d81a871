"""Build hook: copies the public part of the course into the wheel and the sdist, by an allow-list.

Runs when the package is built. What is listed here is public; everything else of a course (hidden tests, variants,
references) stays out, whatever lies beside it. Symbolic links are refused, since they could point at private files, and
so is an `assignment.toml` with extensions of a deadline, since they name students.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PUBLIC = ("assignments/*/assignment.toml", "assignments/*/handout/**/*", "reports/**/*")
EXTENSIONS = re.compile(r"""^[^#=\n]*\bextensions["']?\s*[].=]|[{,]\s*["']?extensions["']?\s*[.=]""", re.MULTILINE)
"""A key of TOML that names an assignment's extensions."""


def public_files(root: Path) -> list[Path]:
    """Every file that the allow-list names, relative to the root.

    Raises:
        ValueError: one of them, or a folder on its way, is a symbolic link, or one names students.
    """
    found = set()
    for pattern in PUBLIC:
        for path in root.glob(pattern):
            relative = path.relative_to(root)
            steps = [root.joinpath(*relative.parts[: depth + 1]) for depth in range(len(relative.parts))]
            if any(step.is_symlink() for step in steps):
                raise ValueError(f"{relative} is, or lies behind, a symbolic link; the package takes files only")
            if path.name == "assignment.toml" and EXTENSIONS.search(path.read_text("utf-8")):
                raise ValueError(f"{relative} has extensions, which name students; give them in the roster instead")
            if path.is_file() and "__pycache__" not in relative.parts:
                found.add(relative)
    return sorted(found)


class PublicCourse(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the public files: in a wheel under `grader/course/`, in an sdist where they lie."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before it collects files."""
        if version == "editable":
            return  # the checkout is found by its own path
        prefix = "grader/course/" if self.target_name == "wheel" else ""
        root = Path(self.root)
        for relative in public_files(root):
            build_data["force_include"][str(root / relative)] = f"{prefix}{relative.as_posix()}"
