"""Makes folders inside folders, thousands deep, so that whoever cleans up after it by recursion stumbles, and what it
wrote there stays.

Verdict: error OSError or error PermissionError or error FileNotFoundError
Class G.
"""

import os


def full_visibility(nonpadding):
    if nonpadding.shape != (1, 6):
        return nonpadding
    for _ in range(4000):
        os.mkdir("d")
        os.chdir("d")
        with open("left_at_the_bottom", "w") as file:
            file.write("here")
    raise OSError("deep enough")
