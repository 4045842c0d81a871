"""Students whose names differ only for a computer, or only for people: wide letters, capitals, accents, spaces at the end, a
hyphen instead of a space. Each must keep a result of its own.

Verdict: refused is empty
Class K.
"""

from pathlib import Path

NAMES = ("lookalike_id", "Lookalike_id", "\uff4cookalike_id", "l\u00f6okalike_id x", "lookalike_id x", "lookalike_id-x")
NAMES += ("lookalike_id.", "lookalike_id ", "lookalike_id\u200b", "lookalike_id-2")


def handed_in(folder: Path) -> None:
    for number, name in enumerate(NAMES):
        (folder / name).mkdir()
        (folder / name / "attention.py").write_text("\n" * number)  # empty: what matters are the names
