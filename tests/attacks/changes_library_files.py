"""Changes what it may only read: mode, owner, times, attributes and length of the files of torch, of Python and of the
worker, which others will load after it. A law that watches over opening alone does not see that.

Verdict: error LookupError
Class I.
"""

import contextlib
import os

import torch
from grader.sandbox import worker


def full_visibility(nonpadding):
    for name in (torch.__file__, os.__file__, worker.__file__, os.path.dirname(worker.__file__), "/", "/usr"):
        before = os.stat(name)
        with contextlib.suppress(OSError):
            os.chmod(name, before.st_mode ^ 0o004)
            if os.stat(name).st_mode != before.st_mode:
                print("BREACH: changed the mode of", name)
                os.chmod(name, before.st_mode)
        with contextlib.suppress(OSError):
            os.utime(name, (1, 1))
            if os.stat(name).st_mtime == 1:
                print("BREACH: changed the time of", name)
                os.utime(name, ns=(before.st_atime_ns, before.st_mtime_ns))
        with contextlib.suppress(OSError):
            os.setxattr(name, "user.owned", b"1")
            if os.getxattr(name, "user.owned") == b"1":
                print("BREACH: attributes of", name)
            os.removexattr(name, "user.owned")
        with contextlib.suppress(OSError):
            os.chown(name, before.st_uid, os.getgid())
            if os.stat(name).st_gid != before.st_gid:
                print("BREACH: changed the group of", name)
        with contextlib.suppress(OSError):
            os.close(os.open(name, os.O_WRONLY | os.O_APPEND))
            print("BREACH: may write to", name)
        with contextlib.suppress(OSError):
            os.link(name, "linked")
            os.close(os.open("linked", os.O_WRONLY | os.O_APPEND))
            print("BREACH: may write to a link to", name)
    raise LookupError("as it was")
