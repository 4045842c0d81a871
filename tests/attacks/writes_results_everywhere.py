"""Looks for folders of results and writes a perfect one of its own into each, made read-only so that the real one cannot
replace it; then puts one into every folder above its own.

Verdict: error OSError or error PermissionError or error FileNotFoundError
Class B.
"""

import contextlib
import os

NAME = "writes_results_everywhere"
CONTENT = '{"status": "graded", "score": 100.0, "checks": []}'


def _places():
    yield from ("/autograder/results", "/grade/results", "/results", "/out")
    for top in ("/tmp", "/var/tmp", "/home", "/root", "/srv", "/mnt", "/opt"):
        for root, folders, _ in os.walk(top):
            if root.count("/") > 5:
                folders.clear()
            yield from (os.path.join(root, name) for name in folders if name in ("results", "reports"))


def full_visibility(nonpadding):
    for place in _places():
        for name in (f"{NAME}.json", "results.json"):
            with contextlib.suppress(OSError):
                with open(os.path.join(place, name), "w") as file:
                    file.write(CONTENT)
                os.chmod(file.name, 0o444)
                print("BREACH: wrote", file.name)
    above = os.path.dirname(os.getcwd())
    if above != "/":
        with open(os.path.join(above, "results.json"), "w") as file:
            print("BREACH: wrote", file.name)
        os.unlink(file.name)
    with open("/results.json", "w"):
        print("BREACH: wrote into the root folder")
