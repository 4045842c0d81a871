"""Says that all went well and leaves with status 0 before it has defined anything that could be checked.

Verdict: invalid ends the program
Class B.
"""

import sys

print("OK (29 tests)")
sys.exit(0)


def full_visibility(nonpadding):
    return None
