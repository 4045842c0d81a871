"""Writes where every Python that starts later looks: sitecustomize.py, .pth files, caches of compiled modules, and folders on
the path of modules.

Verdict: error LookupError
Class J.
"""

import contextlib
import os
import site
import sys
import sysconfig


def full_visibility(nonpadding):
    own = os.path.realpath(os.getcwd())
    folders = {*sys.path, *sysconfig.get_paths().values(), *site.getsitepackages(), os.path.dirname(os.__file__)}
    folders |= {os.path.join(folder, "__pycache__") for folder in folders}
    folders |= {"/etc/python3", "/usr/lib/python3/dist-packages", "/usr/local/bin"}
    for folder in folders:
        for name in ("zz_planted.pth", "sitecustomize_planted.py", "os.cpython-311.pyc.planted"):
            path = os.path.join(folder, name)
            with contextlib.suppress(OSError):
                with open(path, "w") as file:
                    file.write("")
                os.unlink(path)
                if not os.path.realpath(folder).startswith(own):
                    print("BREACH: could write", path)
    raise LookupError("nowhere to write")
