"""A student whose name is a formula: the table of grades, opened in a spreadsheet, would call a web address or run a program
with the names and points of the class.

Verdict: refused is empty
Class K.
"""

from pathlib import Path

NAMES = ("=HYPERLINK(A1&B2) csv_formula_folder", "@SUM(1+9)*cmd csv_formula_folder", "+1+1 csv_formula_folder")
NAMES += ("-2+3 csv_formula_folder", "\t=1+1 csv_formula_folder", '",=1+1,"csv_formula_folder')


def handed_in(folder: Path) -> None:
    for name in NAMES:
        (folder / name).mkdir()
        (folder / name / "attention.py").touch()  # empty: what matters are the names
