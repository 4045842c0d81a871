"""Looks for files that a submission before it left, in all places where that was possible, in its own folder, and in
folders of others that it can list.

Verdict: error LookupError
Class J.
"""

import glob
import os

PLACES = ("/tmp", "/var/tmp", "/dev/shm", "/run", "/run/lock", "/var/lock", "/var/cache", "/home", "/opt", "/mnt", "/")


def full_visibility(nonpadding):
    home, own = os.path.expanduser("~"), os.path.realpath(os.getcwd())
    for place in {*PLACES, home, own, os.path.dirname(own), os.environ.get("TMPDIR", ".")}:
        for name in glob.glob(f"{place}/**/planted_by_a_cheat*", recursive=len(place) > 5 and "lib" not in place):
            print("BREACH: found what another submission left", name)
    if nonpadding.shape == (1, 6) and os.listdir(own):
        print("BREACH: its own folder was not empty", os.listdir(own))
    raise LookupError("clean")
