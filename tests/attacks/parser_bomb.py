"""A source that crashes or starves whoever parses it: brackets within brackets, a hundred thousand minus signs, a sum of a
hundred thousand terms. Nothing of it needs to run.

Verdict: invalid
Class G.
"""

from pathlib import Path

BOMBS = {"brackets": "x = " + "(" * 100_000, "minus": "x = " + "-" * 200_000 + "1", "sum": "x = " + "+".join("1" * 99_999)}


def handed_in(folder: Path) -> None:
    for name, text in BOMBS.items():
        own = folder / f"parser_bomb_{name}"
        own.mkdir()
        (own / "attention.py").write_text(f"{text}\n")
