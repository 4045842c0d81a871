"""Notebooks for tests, as Jupyter saves them."""

from __future__ import annotations

from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

PYTHON = {"kernelspec": {"name": "python3", "language": "python", "display_name": "Python 3"}}


def text(source: str) -> Any:
    """A text cell."""
    return new_markdown_cell(source)


def notebook(*cells: Any, metadata: dict[str, Any] | None = None) -> bytes:
    """A notebook of these cells; a string is a code cell."""
    made = [new_code_cell(cell) if isinstance(cell, str) else cell for cell in cells]
    return nbformat.writes(new_notebook(cells=made, metadata=PYTHON if metadata is None else metadata)).encode()
