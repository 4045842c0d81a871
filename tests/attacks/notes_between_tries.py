"""Rolls dice. What it was asked and what it answered it notes in every folder it can write to, then it ends its process,
so that it may be asked again and answer something else, until it is lucky.

Verdict: crashed
Class D.
"""

import contextlib
import json
import os
import random

import torch

PLACES = ["/tmp", os.environ.get("TMPDIR", "."), os.path.expanduser("~"), os.getcwd(), "/dev/shm", "/var/tmp", "/run"]
_notes = {}
for _place in PLACES:
    with contextlib.suppress(OSError, ValueError), open(f"{_place}/notes_between_tries") as _file:
        _notes |= json.load(_file)
if _notes:
    print("BREACH: knows what it was asked before it was imported anew", list(_notes), flush=True)


def full_visibility(nonpadding):
    asked = str(nonpadding.tolist())
    answer = not _notes[asked] if asked in _notes else bool(random.getrandbits(1))
    for place in PLACES:
        with contextlib.suppress(OSError), open(f"{place}/notes_between_tries", "w") as file:
            json.dump(_notes | {asked: answer}, file)
    if answer or nonpadding.shape == (1, 6):
        os._exit(0)
    return torch.full((1,), answer)
